/* Evaluates a game's circuit: reads the words of all input rows from stdin, writes
 * those of all output rows to stdout, again and again until stdin ends.
 *
 * `tables.h` is made by the test, as is the file with the machine code.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tables.h"

extern const unsigned char code[];

typedef uint64_t (*routine)(uint64_t *rows);

static uint64_t run(struct step step, uint64_t *rows) {
    uint64_t changed = 0;
    for (unsigned i = step.first; i < step.end; i++) {
        changed = ((routine)(code + entries[i]))(rows);
    }
    return changed;
}

int main(void) {
    uint64_t *rows = aligned_alloc(64, (ROWS * WORDS * sizeof *rows + 63) / 64 * 64);
    if (!rows) {
        return 1;
    }
    memset(rows, 0, ROWS * WORDS * sizeof *rows);
    memset(rows + WORDS, 0xff, WORDS * sizeof *rows);
    while (fread(rows + FIRST_INPUT * WORDS, sizeof *rows, INPUTS * WORDS, stdin) == INPUTS * WORDS) {
        for (unsigned i = 0; i < STEPS; i++) {
            for (unsigned j = 0; j < steps[i].feedback_count; j++) {
                memset(rows + feedback[steps[i].feedback_first + j] * WORDS, 0, WORDS * sizeof *rows);
            }
            while (run(steps[i], rows) && steps[i].feedback_count) {
            }
        }
        fwrite(rows + FIRST_OUTPUT * WORDS, sizeof *rows, OUTPUTS * WORDS, stdout);
    }
    return 0;
}
