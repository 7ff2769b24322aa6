-- What wrk sends in bench/stub.c: a short question.
wrk.method = "POST"
wrk.body = '{"model":"stub","messages":[{"role":"user","content":"What is 2+3?"}]}'
wrk.headers["Content-Type"] = "application/json"
