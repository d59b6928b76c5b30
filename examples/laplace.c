/* A number plus Laplace noise, for the auditor's line protocol (see README.md), with answers in float64.
 *
 *   cc -O2 -o laplace laplace.c -lm
 *   echo '{"first": 0, "second": 1}' > numbers.json
 *   dpspectra audit --command "./laplace 0.5" --pair numbers.json --epsilon 1      refuted: the loss is 1 / 0.5 = 2
 *   dpspectra audit --command "./laplace 1" --pair numbers.json --epsilon 1        not refuted
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 32768 /* rows in one call */

/* A number in (0, 1) that belongs to a seed and a counter. Every seed must give good numbers from the first one on,
   since each call brings a new one: hence a hash of both (the mixing steps of MurmurHash3), and no rand(). */
static double uniform(uint64_t seed, uint64_t counter)
{
    uint64_t x = (seed << 32 | counter) + UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 33) * UINT64_C(0xFF51AFD7ED558CCD);
    x = (x ^ x >> 33) * UINT64_C(0xC4CEB9FE1A85EC53);
    x ^= x >> 33;
    return ((double)(x >> 12) + 0.5) * 0x1p-52;
}

/* The difference of two exponential variables. */
static double laplace(double scale, uint64_t seed, uint64_t row)
{
    return scale * (log(uniform(seed, 2 * row + 1)) - log(uniform(seed, 2 * row)));
}

int main(int argc, char **argv)
{
    static char line[4096]; /* the data are two numbers, so no request is long */
    static double noisy[MOST];
    double data[2], scale = argc > 1 ? atof(argv[1]) : 1.0;
    unsigned long id, seed;
    int side, size, raw;

    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "{\"hello\":1,\"first\":%lf,\"second\":%lf}", &data[0], &data[1]) == 2) {
            printf("{\"hello\":1,\"name\":\"Laplace noise in C\",\"most\":%d,", MOST);
            printf("\"float64\":true,\"seeded\":true,\"independent\":true}\n");
        } else if (sscanf(line, "{\"id\":%lu,\"side\":%d,\"size\":%d,\"seed\":%lu,\"float64\":%d}",
                          &id, &side, &size, &seed, &raw) == 5 && size <= MOST) {
            for (int row = 0; row < size; row++)
                noisy[row] = data[side] + laplace(scale, seed, row);
            if (raw) { /* the bytes of a little-endian machine, as nearly all are */
                printf("{\"id\":%lu,\"float64\":[%d]}\n", id, size);
                fwrite(noisy, sizeof *noisy, size, stdout);
            } else {
                printf("{\"id\":%lu,\"outputs\":[%.17g", id, noisy[0]);
                for (int row = 1; row < size; row++)
                    printf(",%.17g", noisy[row]);
                puts("]}");
            }
        } else {
            return 0; /* {"bye":1} */
        }
        fflush(stdout);
    }
    return 0;
}
