#include "agent/agent.h"

#include <math.h>

void agent_answer_init(struct agent_answer *a)
{
    *a = (struct agent_answer){
        .input_tokens = NAN,
        .output_tokens = NAN,
        .cache_read_tokens = NAN,
        .wasted_tokens = NAN,
        .api_calls = NAN,
        .retries = NAN,
        .cost_usd = NAN,
        .first_token_s = NAN,
    };
}
