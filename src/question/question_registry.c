/* What a store can be asked. Adding one is adding a file and a word to QUESTIONS. */
#include "question/question.h"

#define ROW        struct question
#define ROW_OF(id) question_##id
#define ROWS       QUESTIONS
REGISTRY_ROWS(question)
