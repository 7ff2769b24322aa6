/* route.h - the routes of the HTTP API: the contract.
 *
 * A route is a row: method, path, parameters, the role that it needs, and what it
 * answers. Routing, the checking of parameters, /openapi.json and docs/api.md are made
 * from the rows. Most routes ask a question of the store (question/question.h) and send its
 * answer as the command of that name prints it with --json.
 *
 * Parameters come from the path ({agent_id}), the query and, of a POST, from a JSON object
 * in the body or the query; they are one table (base/param.h) and end in one struct. Names
 * have underscores where the options of commands have dashes. A parameter that names a
 * run (PARAM_SELECTOR) never means a file here (store_is_served).
 *
 * A handler runs on the server's thread, reads the store and measures nothing. It answers
 * at once, but for streams.
 *
 * To add one: write src/api/route_<name>.c ending in `const struct route route_<name>`,
 * and name it in the list in route_registry.c. Rows that only name a question stand together
 * in route_questions.c. */
#ifndef API_ROUTE_H
#define API_ROUTE_H

#include "api/access.h"
#include "question/question.h"

struct api; /* api.h: the server's own state */

struct route_call {
    struct api *api;
    const struct route *route;
    struct http_request *request;
    struct arena *arena;      /* ends when the reply has been sent */
    const struct access *who; /* workspace and role of the caller */
    struct store *store;      /* of that workspace; NULL where the row says `is_storeless` */
    const void *params;       /* the row's struct, defaults filled in */
    struct refusal *refusal;
};

/* A parameter under another name than the question's, or left out of the route. */
struct route_name {
    const char *ours; /* NULL: left out, since the path already says it */
    const char *of_question;
};

enum { ROUTE_NAMES_MAX = 4 };

struct route {
    REGISTRY_ENTRY; /* name: the operationId, "get_leaderboard"; params without a question */
    const char *method; /* "GET", "POST", "DELETE" */
    const char *path;   /* "/benchmarks/agents/{agent_id}/results" */
    enum access_role needs;
    bool writes;       /* the store is opened for writing */
    bool is_storeless; /* it is not opened at all */
    bool takes_body;   /* as it is, and not as parameters */

    const struct question *question; /* NULL: `reply` answers */
    struct route_name names[ROUTE_NAMES_MAX];

    /* Answers the request itself (route_send, http_reply, http_send_stream). On false the
     * refusal is sent: it was set, or `err` tells it. */
    bool (*reply)(struct route_call *call, struct error *err);
    /* Answers where the question finds nothing; false: 404 it is. Or NULL. */
    bool (*instead)(struct route_call *call);
    int status; /* of its success, for OpenAPI; 0 = 200 */
    int also;   /* another one: what `also_answer` says; 0 = none */
    const struct answer *also_answer;
    bool names_run;              /* X-Run-Id and Location are among its headers */
    const char *type;            /* "text/plain"; NULL = application/json */
    const struct answer *answer; /* what `reply` sends; its schema is among the components */
    const char *schema; /* JSON Schema as text, where it is not the answer's; or NULL */
};

REGISTRY(struct route, route)

/* Sends a body that lives in the call's arena, with an ETag; 304 to whoever has it. */
void route_send(struct route_call *call, const char *type, struct str body);
/* An answer as JSON, likewise. */
void route_send_answer(struct route_call *call, const struct answer *row, const void *answer);

#endif
