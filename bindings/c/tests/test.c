/* Every function of the C interface, on games that come with propjit, to be run with AddressSanitizer.
 * The argument is the folder with their rulesheets. */

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "propjit.h"

#define OK(call)                                                                                   \
    do {                                                                                           \
        PropjitStatus status = (call);                                                             \
        if (status != PROPJIT_STATUS_OK) {                                                         \
            fprintf(stderr, "%s:%d: status %d: %s\n", __FILE__, __LINE__, status,                  \
                    propjit_last_error());                                                         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#define FAILS(expected, text, call)                                                                \
    do {                                                                                           \
        PropjitStatus status = (call);                                                             \
        if (status != (expected) || !strstr(propjit_last_error(), text)) {                         \
            fprintf(stderr, "%s:%d: status %d: %s\n", __FILE__, __LINE__, status,                  \
                    propjit_last_error());                                                         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static PropjitGame *load(const char *folder, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.kif", folder, name);
    PropjitGame *game;
    OK(propjit_game_load(path, &game));
    return game;
}

/* The joint move in which a role plays the move with this text, and all others their only one. */
static void play(const PropjitGame *game, PropjitState *state, uint32_t mover, const char *text) {
    uint32_t roles, joint[8], moves[16];
    size_t count;
    OK(propjit_game_roles(game, &roles));
    for (uint32_t role = 0; role < roles; role++) {
        OK(propjit_state_legal(state, role, moves, 16, &count));
        assert(count == 1 || role == mover);
        joint[role] = moves[0];
    }
    OK(propjit_game_parse_move(game, mover, text, &joint[mover]));
    OK(propjit_state_play(state, joint, roles));
}

static void test_states(PropjitGame *game) {
    char *text;
    OK(propjit_game_role_name(game, 1, &text));
    assert(strcmp(text, "o") == 0);
    propjit_text_free(text);
    size_t propositions, moves, count;
    OK(propjit_game_sizes(game, 0, &propositions, &moves));
    assert(propositions == 20 && moves == 10);
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "null", propjit_game_sizes(game, 1, &moves, NULL));
    assert(moves == 10);

    PropjitState *state, *copy, *parsed;
    bool answer;
    OK(propjit_state_initial(game, &state));
    OK(propjit_state_clone(state, &copy));
    OK(propjit_state_legal(state, 0, NULL, 0, &count));
    assert(count == 9);
    uint32_t untouched[16] = {1000};
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "null", propjit_state_legal(state, 0, untouched, 16, NULL));
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "too long for memory",
          propjit_state_legal(state, 0, untouched, SIZE_MAX, &count));
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "too long for memory", propjit_state_play(state, untouched, SIZE_MAX));
    assert(untouched[0] == 1000);
    const char *line[] = {"(mark 1 1)", "(mark 2 1)", "(mark 1 2)", "(mark 2 2)", "(mark 1 3)"};
    for (int i = 0; i < 5; i++) {
        OK(propjit_state_terminal(state, &answer));
        assert(!answer);
        play(game, state, i % 2, line[i]);
    }
    OK(propjit_state_terminal(state, &answer));
    assert(answer);
    int32_t goal;
    OK(propjit_state_goal(state, 0, &goal));
    assert(goal == 100);
    /* Nobody moves in a terminal state. */
    for (uint32_t role = 0; role < 2; role++) {
        OK(propjit_state_legal(state, role, NULL, 0, &count));
        assert(count == 0);
    }
    uint32_t last[2];
    OK(propjit_game_parse_move(game, 0, "noop", &last[0]));
    OK(propjit_game_parse_move(game, 1, "(mark 3 3)", &last[1]));
    FAILS(PROPJIT_STATUS_ILLEGAL_MOVE, "the match is over", propjit_state_play(state, last, 2));
    PropjitSearch *search;
    PropjitSearchReport report;
    OK(propjit_search_new(game, 1, 1, 0, false, &search));
    OK(propjit_search_set_root(search, state, 5));
    OK(propjit_search_run(search, 0, 1000, 0, NULL));
    for (uint32_t role = 0; role < 2; role++) {
        OK(propjit_search_report(search, role, &report));
        assert(!report.has_best && report.solved && report.value == (role == 0 ? 100 : 0));
    }
    propjit_search_free(search);
    OK(propjit_state_equal(state, copy, &answer));
    assert(!answer);
    OK(propjit_state_text(state, &text));
    assert(strstr(text, "(cell 1 3 x)"));
    OK(propjit_state_parse(game, text, &parsed));
    OK(propjit_state_equal(state, parsed, &answer));
    assert(answer);
    propjit_text_free(text);
    propjit_state_free(parsed);

    uint32_t illegal[] = {9, 9}, unknown[] = {1000, 0}, number;
    FAILS(PROPJIT_STATUS_ILLEGAL_MOVE, "x may not play", propjit_state_play(copy, illegal, 2));
    FAILS(PROPJIT_STATUS_ILLEGAL_MOVE, "1 moves were given", propjit_state_play(copy, illegal, 1));
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "no move 1000", propjit_state_play(copy, unknown, 2));
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "no role 2", propjit_state_goal(copy, 2, &goal));
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "null", propjit_state_goal(NULL, 0, &goal));
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "null", propjit_state_goal(copy, 0, NULL));
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "null", propjit_state_clone(copy, NULL));
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "UTF-8", propjit_state_parse(game, "\xff", &parsed));
    FAILS(PROPJIT_STATUS_UNKNOWN_NAME, "(mark 4 4)",
          propjit_game_parse_move(game, 0, "(mark 4 4)", &number));
    FAILS(PROPJIT_STATUS_UNKNOWN_NAME, "nonsense", propjit_state_parse(game, "nonsense", &parsed));
    propjit_state_free(copy);
    propjit_state_free(state);
}

static void test_loading(void) {
    PropjitGame *game = NULL;
    FAILS(PROPJIT_STATUS_LOAD_FAILED, "nowhere.kif", propjit_game_load("nowhere.kif", &game));
    FAILS(PROPJIT_STATUS_LOAD_FAILED, "mine.kif:1:",
          propjit_game_from_text("mine.kif", "(role", &game));
    assert(game == NULL);
    propjit_game_free(NULL);
}

static void test_actions(PropjitGame *game) {
    size_t choices, players, actions;
    OK(propjit_game_actions(game, &choices, &players, &actions));
    assert(choices == 9 && players == 10 && actions == 10);
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "null", propjit_game_actions(game, &choices, NULL, &actions));
    const char *expected[] = {"(mark 1 1)", "(mark 1 2)", "(mark 1 3)", "(mark 2 1)", "(mark 2 2)",
                              "(mark 2 3)", "(mark 3 1)", "(mark 3 2)", "(mark 3 3)", "noop"};
    for (uint32_t action = 0; action < actions; action++) {
        char *text;
        OK(propjit_game_action_text(game, action, &text));
        assert(strcmp(text, expected[action]) == 0);
        for (uint32_t role = 0; role < 2; role++) {
            uint32_t parsed, played, same;
            OK(propjit_game_parse_move(game, role, text, &parsed));
            OK(propjit_game_action_move(game, role, action, &played));
            assert(played == parsed);
            OK(propjit_game_move_action(game, role, played, &same));
            assert(same == action);
        }
        propjit_text_free(text);
    }
    uint32_t none = 1000;
    char *text;
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "no action 10", propjit_game_action_text(game, 10, &text));
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "no action 10", propjit_game_action_move(game, 0, 10, &none));
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "no move 10", propjit_game_move_action(game, 0, 10, &none));
    assert(none == 1000);
}

static void test_playouts_and_search(PropjitGame *game) {
    PropjitPlayouts played;
    double means[2];
    OK(propjit_game_playouts(game, 10000, 2, 1, 10000, NULL, &played, means));
    assert(played.matches == 10000 && fabs(means[0] + means[1] - 100) < 1e-9);
    means[0] = -1;
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "null",
          propjit_game_playouts(game, 1, 1, 1, 10000, NULL, NULL, means));
    assert(means[0] == -1);
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "must be at most 1024",
          propjit_game_playouts(game, 10000, 1000000, 1, 10000, NULL, &played, means));
    PropjitStop *stop;
    OK(propjit_stop_new(&stop));
    propjit_stop_set(stop);
    OK(propjit_game_playouts(game, UINT64_MAX, 1, 1, 10000, stop, &played, NULL));

    PropjitSearch *search;
    PropjitSearchReport report;
    OK(propjit_search_new(game, 1, 1, 0, false, &search));
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "limit", propjit_search_run(search, 0, 0, 0, NULL));
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "", propjit_search_run(search, -1, 0, 0, NULL));
    OK(propjit_search_run(search, 0, 0, 0, stop));
    PropjitSearch *none;
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "must be at most 1024",
          propjit_search_new(game, SIZE_MAX, 1, 0, false, &none));
    FAILS(PROPJIT_STATUS_OUT_OF_MEMORY, "use less memory",
          propjit_search_new(game, 1, 1, SIZE_MAX, false, &none));
    PropjitState *state;
    OK(propjit_state_initial(game, &state));
    play(game, state, 0, "(mark 1 1)");
    play(game, state, 1, "(mark 1 2)");
    OK(propjit_search_set_root(search, state, 2));
    OK(propjit_search_run(search, 0, 1000000, 0, NULL));
    OK(propjit_search_report(search, 0, &report));
    assert(report.has_best && report.solved && report.value == 100);
    OK(propjit_search_set_root(search, state, UINT32_MAX));
    OK(propjit_search_run(search, 0, 1000000, 0, NULL));
    OK(propjit_search_report(search, 0, &report));
    assert(report.has_best && report.value == 100);
    char *best;
    OK(propjit_game_move_text(game, 0, report.best, &best));
    assert(strncmp(best, "(mark", 5) == 0);
    propjit_text_free(best);
    propjit_state_free(state);
    propjit_search_free(search);
    propjit_stop_free(stop);
}

static void test_environments(PropjitGame *game, bool joint) {
    enum { COUNT = 300 };
    PropjitEnvironments *environments;
    PropjitShape shape;
    const size_t impossible[] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 16};
    for (int i = 0; i < 3; i++) {
        FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "too many",
              propjit_environments_new(game, impossible[i], 1, joint, 1000, &environments));
    }
    FAILS(PROPJIT_STATUS_OUT_OF_MEMORY, "use fewer",
          propjit_environments_new(game, (size_t)1000000000000000, 1, joint, 1000, &environments));
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "must be at most 1024",
          propjit_environments_new(game, 1000000, 1000000, joint, 1000, &environments));
    OK(propjit_environments_new(game, COUNT, 2, joint, 1000, &environments));
    OK(propjit_environments_shape(environments, &shape));
    assert(shape.environments == COUNT && shape.actors == (joint ? 2 : 1));
    size_t actors = COUNT * shape.actors;
    PropjitOutputs outputs = {
        .observation = malloc(COUNT * shape.propositions),
        .legal = malloc(actors * shape.actions),
        .legal_counts = malloc(actors * sizeof(int32_t)),
        .current = malloc(COUNT * sizeof(int32_t)),
        .rewards = malloc(COUNT * shape.players * sizeof(float)),
        .terminated = malloc(COUNT),
        .truncated = malloc(COUNT),
    };
    int32_t *ranks = malloc(actors * sizeof *ranks), *actions = malloc(actors * sizeof *actions);
    OK(propjit_environments_reset(environments, 7, &outputs));
    uint64_t ended = 0, more;
    for (int step = 0; step < 200; step++) {
        for (size_t i = 0; i < actors; i++) {
            assert(outputs.legal_counts[i] > 0);
            ranks[i] = rand() % outputs.legal_counts[i];
        }
        OK(propjit_environments_nth_legal(environments, ranks, actions));
        for (size_t i = 0; i < actors; i++) {
            assert(outputs.legal[i * shape.actions + actions[i]] == 1);
        }
        OK(propjit_environments_step(environments, actions, &outputs));
        for (size_t i = 0; i < COUNT; i++) {
            ended += outputs.terminated[i];
        }
    }
    assert(ended > 2 * COUNT);
    OK(propjit_environments_step_random(environments, 100, &outputs, &more));
    assert(more > COUNT);
    PropjitState *state, *same;
    bool answer;
    OK(propjit_environments_state(environments, COUNT - 1, &state));
    OK(propjit_state_terminal(state, &answer));
    assert(!answer);
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "null",
          propjit_environments_step_random(environments, 1, &outputs, NULL));
    OK(propjit_environments_state(environments, COUNT - 1, &same));
    OK(propjit_state_equal(state, same, &answer));
    assert(answer);
    propjit_state_free(same);
    propjit_state_free(state);
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "no environment",
          propjit_environments_state(environments, COUNT, &state));
    /* Random steps came in between: what was legal before may not be so any more. */
    memset(ranks, 0, actors * sizeof *ranks);
    OK(propjit_environments_nth_legal(environments, ranks, actions));
    actions[0] = 1000;
    ranks[actors - 1] = 1000;
    FAILS(PROPJIT_STATUS_ILLEGAL_MOVE, "none has rank 1000",
          propjit_environments_nth_legal(environments, ranks, actions));
    assert(actions[0] == 1000);
    ranks[actors - 1] = 0;
    OK(propjit_environments_nth_legal(environments, ranks, actions));
    actions[3] = -1;
    FAILS(PROPJIT_STATUS_ILLEGAL_MOVE, "action -1",
          propjit_environments_step(environments, actions, &outputs));
    uint8_t *legal = outputs.legal;
    outputs.legal = NULL;
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "null", propjit_environments_reset(environments, 1, &outputs));
    free(outputs.observation);
    free(legal);
    free(outputs.legal_counts);
    free(outputs.current);
    free(outputs.rewards);
    free(outputs.terminated);
    free(outputs.truncated);
    free(ranks);
    free(actions);
    propjit_environments_free(environments);
}

int main(int count, char **arguments) {
    assert(count == 2);
    const char *folder = arguments[1];
    test_loading();
    PropjitGame *game = load(folder, "ticTacToe");
    OK(propjit_game_wait(game));
    test_states(game);
    test_actions(game);
    test_playouts_and_search(game);
    test_environments(game, false);
    PropjitGame *tron = load(folder, "tron");
    test_environments(tron, true);
    propjit_game_free(tron);
    /* A state keeps its game alive. */
    PropjitState *state;
    bool terminal;
    OK(propjit_state_initial(game, &state));
    propjit_game_free(game);
    OK(propjit_state_terminal(state, &terminal));
    propjit_state_free(state);
    puts("the C interface works");
    return 0;
}
