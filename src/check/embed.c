#include "check/embed.h"

#include "base/id.h"
#include "base/pattern.h"

#include <math.h>

enum { GRAM_LEAST = 3, GRAM_MOST = 5, WORD_MAX = 64 };

/* The words that nearly every English sentence has. */
static const char *const function_words[] = {
    "a",    "an",  "the",  "of",    "to",   "in",   "on",   "at",    "by",   "for",   "from",
    "with", "and", "or",   "but",   "is",   "are",  "was",  "were",  "be",   "been",  "it",
    "its",  "he",  "she",  "they",  "we",   "i",    "you",  "his",   "her",  "their", "this",
    "that", "as",  "not",  "no",    "do",   "does", "did",  "has",   "have", "had",   "will",
    "can",  "so",  "than", "there", "then", "who",  "what", "which", "when", "how",
};

static bool is_function_word(struct str word)
{
    for (size_t i = 0; i < COUNT(function_words); i++) {
        if (str_is(word, function_words[i])) return true;
    }
    return false;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (unsigned char)c >= 0x80;
}

static void add_feature(float *sums, char kind, struct str text, float weight)
{
    uint64_t hash = id_hash(text) * 0x9E3779B97F4A7C15u + (uint64_t)(unsigned char)kind;
    hash = (hash ^ (hash >> 31)) * 0xD6E8FEB86659FD93u;
    float sign = hash >> 63 ? -1.0F : 1.0F;
    sums[(hash >> 32) % EMBED_SIZE] += sign * weight;
}

static struct str stem(struct str word)
{
    static const char *const endings[] = {"ing", "ed", "ly", "es", "s"};
    for (size_t i = 0; i < COUNT(endings); i++) {
        size_t n = strlen(endings[i]);
        if (word.n >= n + 3 && str_ends(word, str_of(endings[i]))) {
            return (struct str){word.p, word.n - n};
        }
    }
    return word;
}

static void add_word(float *sums, struct str word)
{
    char bordered[WORD_MAX + 2];
    if (word.n > WORD_MAX) word.n = WORD_MAX;
    size_t n = word.n + 2;
    bordered[0] = '<';
    memcpy(bordered + 1, word.p, word.n);
    bordered[n - 1] = '>';
    float weight = is_function_word(word) ? 0.1F : 1.0F;
    add_feature(sums, 'w', word, 0.5F * weight);
    add_feature(sums, 's', stem(word), 0.5F * weight);
    size_t grams = 0;
    for (size_t size = GRAM_LEAST; size <= GRAM_MOST; size++) {
        if (n >= size) grams += n - size + 1;
    }
    for (size_t size = GRAM_LEAST; size <= GRAM_MOST; size++) {
        for (size_t i = 0; i + size <= n; i++) {
            add_feature(sums, 'g', (struct str){bordered + i, size}, weight / (float)grams);
        }
    }
}

void embed_text(struct str text, float *out, struct arena scratch)
{
    memset(out, 0, EMBED_SIZE * sizeof *out);
    struct str lower = pattern_lower(text, &scratch);
    for (size_t i = 0; i < lower.n;) {
        size_t begin = i;
        while (i < lower.n && is_letter(lower.p[i])) i++;
        if (i > begin) add_word(out, (struct str){lower.p + begin, i - begin});
        i += i < lower.n;
    }
    float squares = 0;
    for (size_t i = 0; i < EMBED_SIZE; i++) squares += out[i] * out[i];
    float length = sqrtf(squares);
    for (size_t i = 0; i < EMBED_SIZE && length > 0; i++) out[i] /= length;
}
