/* openapi.h - the API described for programs (OpenAPI 3.1), from the rows of the routes. */
#ifndef API_OPENAPI_H
#define API_OPENAPI_H

#include "api/api.h"

/* Fills api->openapi; the endpoints must be there. */
void openapi_make(struct api *api, struct arena *arena);

#endif
