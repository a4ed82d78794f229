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
    OK(propjit_game_load(path, NULL, &game));
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
    PropjitSearchReport report = PROPJIT_INIT(PropjitSearchReport);
    OK(propjit_search_new(game, NULL, &search));
    OK(propjit_search_set_root(search, state, 5));
    PropjitSearchLimits limits = PROPJIT_INIT(PropjitSearchLimits);
    limits.playouts = 1000;
    OK(propjit_search_run(search, &limits, NULL));
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
    FAILS(PROPJIT_STATUS_LOAD_FAILED, "nowhere.kif", propjit_game_load("nowhere.kif", NULL, &game));
    FAILS(PROPJIT_STATUS_LOAD_FAILED, "mine.kif:1:",
          propjit_game_from_text("mine.kif", "(role", NULL, &game));
    PropjitGameOptions options = PROPJIT_INIT(PropjitGameOptions);
    const char *rules = "(role player) (init (step 0)) (legal player go) (legal player stay)"
                        "(<= (next (step 1)) (does player ?move)) (<= terminal (true (step 1)))"
                        "(goal player 100)";
    options.backend = "abacus";
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "abacus", propjit_game_from_text("steps", rules, &options, &game));
    options.backend = "prover";
    options.ground_seconds = -1;
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "-1 seconds",
          propjit_game_from_text("steps", rules, &options, &game));
    assert(game == NULL);
    /* The prover has no numbers for actions, percepts and propositions. */
    options.ground_seconds = 1;
    OK(propjit_game_from_text("steps", rules, &options, &game));
    PropjitState *state;
    PropjitPlanes *planes;
    PropjitKnowledge *knowledge;
    uint32_t roles[1], move;
    size_t count;
    char *text;
    uint8_t bytes[1];
    OK(propjit_state_initial(game, &state));
    OK(propjit_state_to_move(state, roles, 1, &count));
    assert(count == 1 && roles[0] == 0);
    OK(propjit_game_parse_move(game, 0, "go", &move));
    OK(propjit_state_percepts(state, &move, 1, 0, &text));
    assert(strcmp(text, "") == 0);
    propjit_text_free(text);
    int32_t action = 0;
    FAILS(PROPJIT_STATUS_PLAY_FAILED, "ground", propjit_state_legal_actions(state, 0, NULL, 0, &count));
    FAILS(PROPJIT_STATUS_PLAY_FAILED, "ground", propjit_state_apply(state, &action, 1));
    FAILS(PROPJIT_STATUS_PLAY_FAILED, "ground", propjit_state_propositions(state, bytes, 1));
    FAILS(PROPJIT_STATUS_PLAY_FAILED, "ground", propjit_game_percepts(game, 0, &count));
    FAILS(PROPJIT_STATUS_PLAY_FAILED, "ground", propjit_game_percept_text(game, 0, 0, &text));
    FAILS(PROPJIT_STATUS_PLAY_FAILED, "ground", propjit_planes_new(game, true, NULL, &planes));
    FAILS(PROPJIT_STATUS_PLAY_FAILED, "ground", propjit_knowledge_new(game, &knowledge));
    propjit_state_free(state);
    propjit_game_free(game);
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

/* What programs that were compiled with another version of the header pass, in as much memory as they have for it. */
static void test_sizes(PropjitGame *game) {
    struct Earlier {
        size_t size;
        double seconds;
        uint64_t playouts;
    } *earlier = malloc(sizeof *earlier);
    struct Later {
        PropjitSearchLimits limits;
        uint64_t more[2];
    } *later = malloc(sizeof *later);
    PropjitSearch *search;
    OK(propjit_search_new(game, NULL, &search));
    *earlier = (struct Earlier){sizeof *earlier, 0, 1000};
    OK(propjit_search_run(search, (PropjitSearchLimits *)earlier, NULL));
    *later = (struct Later){.limits = {.size = sizeof *later, .playouts = 1000}};
    OK(propjit_search_run(search, &later->limits, NULL));
    later->more[1] = 1;
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "PropjitSearchLimits has fields",
          propjit_search_run(search, &later->limits, NULL));
    later->limits.size = 0;
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "PROPJIT_INIT(PropjitSearchLimits)",
          propjit_search_run(search, &later->limits, NULL));
    later->limits.size = SIZE_MAX;
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "PROPJIT_INIT", propjit_search_run(search, &later->limits, NULL));

    /* Results are written as far as there is room. */
    struct EarlierReport {
        size_t size;
        bool has_best, solved;
        uint32_t best;
        double value;
    } *report = malloc(sizeof *report);
    struct LaterReport {
        PropjitSearchReport report;
        uint64_t more;
    } later_report = {.report = {.size = sizeof later_report}, .more = 7};
    memset(report, 0xff, sizeof *report);
    report->size = sizeof *report;
    OK(propjit_search_report(search, 0, (PropjitSearchReport *)report));
    OK(propjit_search_report(search, 0, &later_report.report));
    assert(report->has_best && report->size == sizeof *report);
    assert(report->best == later_report.report.best && report->value == later_report.report.value);
    assert(later_report.report.size == sizeof later_report && later_report.more == 0);
    assert(later_report.report.nodes > 0 && later_report.report.playouts > 0);
    later_report.report.size = 1;
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "PROPJIT_INIT(PropjitSearchReport)",
          propjit_search_report(search, 0, &later_report.report));
    propjit_search_free(search);
    free(report);
    free(earlier);
    free(later);
}

static void test_playouts_and_search(PropjitGame *game) {
    PropjitPlayouts played = PROPJIT_INIT(PropjitPlayouts);
    PropjitPlayoutOptions many = PROPJIT_INIT(PropjitPlayoutOptions);
    double means[2];
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "`matches`", propjit_game_playouts(game, &many, NULL, &played, means));
    many.matches = 10000;
    many.threads = 2;
    many.seed = 1;
    OK(propjit_game_playouts(game, &many, NULL, &played, means));
    assert(played.matches == 10000 && fabs(means[0] + means[1] - 100) < 1e-9);
    means[0] = -1;
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "null", propjit_game_playouts(game, &many, NULL, NULL, means));
    assert(means[0] == -1);
    many.max_steps = 4;
    OK(propjit_game_playouts(game, &many, NULL, &played, NULL));
    assert(played.truncated == 10000);
    many.threads = 1000000;
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "must be at most 1024",
          propjit_game_playouts(game, &many, NULL, &played, means));
    PropjitStop *stop;
    OK(propjit_stop_new(&stop));
    propjit_stop_set(stop);
    PropjitPlayoutOptions endless = PROPJIT_INIT(PropjitPlayoutOptions);
    OK(propjit_game_playouts(game, &endless, stop, &played, NULL));

    PropjitSearch *search;
    PropjitSearchReport report = PROPJIT_INIT(PropjitSearchReport);
    PropjitSearchOptions options = PROPJIT_INIT(PropjitSearchOptions);
    PropjitSearchLimits limits = PROPJIT_INIT(PropjitSearchLimits);
    options.seed = 1;
    OK(propjit_search_new(game, &options, &search));
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "limit", propjit_search_run(search, NULL, NULL));
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "limit", propjit_search_run(search, &limits, NULL));
    limits.seconds = -1;
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "-1 seconds", propjit_search_run(search, &limits, NULL));
    OK(propjit_search_run(search, NULL, stop));
    PropjitSearch *none;
    options.threads = SIZE_MAX;
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "must be at most 1024", propjit_search_new(game, &options, &none));
    options.threads = 0;
    options.memory = SIZE_MAX;
    FAILS(PROPJIT_STATUS_OUT_OF_MEMORY, "use less memory", propjit_search_new(game, &options, &none));
    options.memory = 0;
    options.kind = 3;
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "`kind` is a number below 3, not 3",
          propjit_search_new(game, &options, &none));
    options.kind = PROPJIT_SEARCH_KIND_MCTS;
    options.exploration = 1;
    OK(propjit_search_new(game, &options, &none));
    propjit_search_free(none);
    limits = PROPJIT_INIT(PropjitSearchLimits);
    limits.playouts = 1000000;
    PropjitState *state;
    OK(propjit_state_initial(game, &state));
    play(game, state, 0, "(mark 1 1)");
    play(game, state, 1, "(mark 1 2)");
    OK(propjit_search_set_root(search, state, 2));
    OK(propjit_search_run(search, &limits, NULL));
    OK(propjit_search_report(search, 0, &report));
    assert(report.has_best && report.solved && report.value == 100);
    OK(propjit_search_set_root(search, state, UINT32_MAX));
    OK(propjit_search_run(search, &limits, NULL));
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

/* The joint move of these actions of each role, in a state; -1 stands for a forced one. */
static void joint_move(const PropjitGame *game, const PropjitState *state, const int32_t *actions,
                       uint32_t roles, uint32_t *joint) {
    for (uint32_t role = 0; role < roles; role++) {
        size_t count;
        if (actions[role] >= 0) {
            OK(propjit_game_action_move(game, role, actions[role], &joint[role]));
        } else {
            OK(propjit_state_legal(state, role, &joint[role], 1, &count));
            assert(count == 1);
        }
    }
}

/* A match as learners play it. */
static void test_actions_of_states(PropjitGame *game, PropjitGame *other) {
    PropjitState *state, *same;
    uint32_t roles[2], legal[16], joint[2];
    size_t count;
    bool over, equal;
    OK(propjit_state_initial(game, &state));
    OK(propjit_state_clone(state, &same));
    for (int turn = 0;; turn++) {
        OK(propjit_state_terminal(state, &over));
        OK(propjit_state_to_move(state, roles, 2, &count));
        if (over) {
            assert(count == 0);
            break;
        }
        /* In the last turn of a full board, nobody has a choice. */
        uint32_t mover = turn % 2;
        assert(turn == 8 ? count == 0 : count == 1 && roles[0] == mover);
        OK(propjit_state_legal_actions(state, mover, legal, 16, &count));
        assert(count == (size_t)(9 - turn));
        for (size_t i = 1; i < count; i++) {
            assert(legal[i - 1] < legal[i] && legal[i] < 9);
        }
        int32_t actions[] = {-1, -1};
        if (turn == 0) {
            FAILS(PROPJIT_STATUS_ILLEGAL_MOVE, "x has 9 legal moves", propjit_state_apply(state, actions, 2));
            FAILS(PROPJIT_STATUS_ILLEGAL_MOVE, "1 moves were given", propjit_state_apply(state, actions, 1));
            actions[0] = 1000;
            FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "no action 1000", propjit_state_apply(state, actions, 2));
            actions[0] = 9;
            FAILS(PROPJIT_STATUS_ILLEGAL_MOVE, "x may not play noop", propjit_state_apply(state, actions, 2));
            OK(propjit_state_equal(state, same, &equal));
            assert(equal);
        }
        actions[mover] = legal[count / 2];
        joint_move(game, same, actions, 2, joint);
        OK(propjit_state_apply(state, actions, 2));
        OK(propjit_state_play(same, joint, 2));
        OK(propjit_state_equal(state, same, &equal));
        assert(equal);
    }
    int32_t forced[] = {-1, -1};
    FAILS(PROPJIT_STATUS_ILLEGAL_MOVE, "the match is over", propjit_state_apply(state, forced, 2));
    OK(propjit_state_legal_actions(state, 0, legal, 16, &count));
    assert(count == 0);

    /* Propositions by number are those of the text. */
    size_t propositions, moves, size = 0;
    OK(propjit_game_sizes(game, 0, &propositions, &moves));
    uint8_t *holds = malloc(propositions);
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "has 20 elements, and the array has 19",
          propjit_state_propositions(state, holds, propositions - 1));
    OK(propjit_state_propositions(state, holds, propositions));
    char *all, *text;
    OK(propjit_state_text(state, &all));
    for (size_t number = 0; number < propositions; number++) {
        OK(propjit_game_proposition_text(game, number, &text));
        assert((strstr(all, text) != NULL) == holds[number]);
        size += holds[number] ? strlen(text) + 1 : 0;
        propjit_text_free(text);
    }
    assert(size == strlen(all) + 1);
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "no proposition 20", propjit_game_proposition_text(game, 20, &text));
    propjit_text_free(all);

    PropjitState *foreign;
    OK(propjit_state_initial(other, &foreign));
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "another game", propjit_state_equal(state, foreign, &equal));
    PropjitSearch *search;
    OK(propjit_search_new(game, NULL, &search));
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "another game", propjit_search_set_root(search, foreign, 0));
    propjit_search_free(search);
    propjit_state_free(foreign);
    free(holds);
    propjit_state_free(same);
    propjit_state_free(state);
}

/* What a candidate perceives in Monty Hall. */
static void test_percepts(PropjitGame *game) {
    uint32_t roles, host = 0, candidate = 1;
    int32_t random;
    bool hides;
    size_t count;
    char *text;
    OK(propjit_game_roles(game, &roles));
    OK(propjit_game_role_name(game, 0, &text));
    OK(propjit_game_random_role(game, &random));
    assert(roles == 2 && random >= 0);
    host = random;
    candidate = 1 - host;
    propjit_text_free(text);
    OK(propjit_game_hides_information(game, &hides));
    assert(hides);

    PropjitState *state;
    uint32_t joint[2];
    OK(propjit_state_initial(game, &state));
    OK(propjit_game_parse_move(game, host, "(hide 2)", &joint[host]));
    OK(propjit_game_parse_move(game, candidate, "noop", &joint[candidate]));
    OK(propjit_state_percepts(state, joint, 2, candidate, &text));
    assert(strcmp(text, "") == 0);
    propjit_text_free(text);
    OK(propjit_state_play(state, joint, 2));
    FAILS(PROPJIT_STATUS_ILLEGAL_MOVE, "may not play noop", propjit_state_percepts(state, joint, 2, candidate, &text));
    OK(propjit_game_parse_move(game, host, "noop", &joint[host]));
    OK(propjit_game_parse_move(game, candidate, "(choose 1)", &joint[candidate]));
    OK(propjit_state_play(state, joint, 2));
    OK(propjit_game_parse_move(game, host, "(open 3)", &joint[host]));
    OK(propjit_game_parse_move(game, candidate, "noop", &joint[candidate]));
    OK(propjit_state_percepts(state, joint, 2, candidate, &text));
    char *perceived = text;
    assert(strstr(perceived, "3"));
    bool is_known = false;
    OK(propjit_game_percepts(game, candidate, &count));
    assert(count > 0);
    for (uint32_t percept = 0; percept < count; percept++) {
        OK(propjit_game_percept_text(game, candidate, percept, &text));
        is_known |= strcmp(text, perceived) == 0;
        propjit_text_free(text);
    }
    assert(is_known);
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "has no percept 1000",
          propjit_game_percept_text(game, candidate, 1000, &text));
    propjit_text_free(perceived);
    PropjitKnowledge *known;
    uint8_t byte;
    OK(propjit_knowledge_new(game, &known));
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "plays at random", propjit_knowledge_observe(known, host, &byte, 1));
    propjit_knowledge_free(known);
    propjit_state_free(state);
}

static PropjitOutputs outputs_of(const PropjitShape *shape) {
    size_t actors = shape->environments * shape->actors;
    PropjitOutputs outputs = PROPJIT_INIT(PropjitOutputs);
    outputs.observation = malloc(shape->environments * shape->observers * shape->elements);
    outputs.legal = malloc(actors * shape->actions);
    outputs.legal_counts = malloc(actors * sizeof(int32_t));
    outputs.current = malloc(shape->environments * sizeof(int32_t));
    outputs.rewards = malloc(shape->environments * shape->players * sizeof(float));
    outputs.terminated = malloc(shape->environments);
    outputs.truncated = malloc(shape->environments);
    return outputs;
}

static void free_outputs(PropjitOutputs *outputs) {
    free(outputs->observation);
    free(outputs->legal);
    free(outputs->legal_counts);
    free(outputs->current);
    free(outputs->rewards);
    free(outputs->terminated);
    free(outputs->truncated);
}

/* A match of an environment, followed as a state: observations are the same, of planes or of what a player knows. */
static void test_observations(PropjitGame *game, bool with_planes) {
    PropjitEnvironmentOptions options = PROPJIT_INIT(PropjitEnvironmentOptions);
    PropjitEnvironments *environments;
    PropjitShape shape = PROPJIT_INIT(PropjitShape);
    PropjitPlanes *planes;
    PropjitKnowledge *known, *copy;
    PropjitState *state;
    size_t channels, height, width, elements;
    bool hides, equal;
    OK(propjit_game_hides_information(game, &hides));
    assert(hides != with_planes);
    OK(propjit_planes_new(game, true, NULL, &planes));
    OK(propjit_planes_shape(planes, &channels, &height, &width));
    for (size_t channel = 0; channel < channels; channel++) {
        char *name;
        OK(propjit_planes_name(planes, channel, &name));
        assert(*name);
        propjit_text_free(name);
    }
    char *name;
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "no channel", propjit_planes_name(planes, channels, &name));
    OK(propjit_knowledge_new(game, &known));
    OK(propjit_knowledge_size(known, &elements));
    options.planes = planes;
    options.autoreset = PROPJIT_AUTORESET_NEXT_STEP;
    if (!with_planes) {
        FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "hides information",
              propjit_environments_new(game, 1, &options, &environments));
        options.planes = NULL;
    }
    OK(propjit_environments_new(game, 1, &options, &environments));
    OK(propjit_environments_shape(environments, &shape));
    assert(shape.elements == (with_planes ? channels * height * width : elements));
    assert(shape.actors == 1 && shape.observers == 1 && shape.players == 2);
    assert(shape.least_reward == -1 && shape.greatest_reward == 1);
    PropjitOutputs outputs = outputs_of(&shape);
    uint8_t *observed = malloc(shape.elements);
    OK(propjit_environments_reset(environments, 5, &outputs));
    OK(propjit_state_initial(game, &state));
    int turns = 0;
    for (;; turns++) {
        PropjitState *expected;
        OK(propjit_environments_state(environments, 0, &expected));
        /* Forced moves come without a choice. */
        for (;;) {
            uint32_t choosing[2], joint[2];
            size_t count;
            OK(propjit_state_to_move(state, choosing, 2, &count));
            OK(propjit_state_equal(state, expected, &equal));
            if (equal) {
                break;
            }
            assert(count == 0);
            joint_move(game, state, (int32_t[]){-1, -1}, 2, joint);
            OK(propjit_knowledge_add(known, state, joint, 2));
            OK(propjit_state_play(state, joint, 2));
        }
        propjit_state_free(expected);
        if (outputs.current[0] == -2) {
            break;
        }
        uint32_t role = outputs.current[0];
        if (with_planes) {
            OK(propjit_planes_observe(planes, state, role, observed, shape.elements));
        } else {
            OK(propjit_knowledge_observe(known, role, observed, shape.elements));
        }
        assert(memcmp(observed, outputs.observation, shape.elements) == 0);
        int32_t rank = rand() % outputs.legal_counts[0], action, actions[] = {-1, -1};
        uint32_t joint[2];
        OK(propjit_environments_nth_legal(environments, &rank, &action));
        OK(propjit_environments_step(environments, &action, &outputs));
        actions[role] = action;
        joint_move(game, state, actions, 2, joint);
        OK(propjit_knowledge_add(known, state, joint, 2));
        OK(propjit_state_play(state, joint, 2));
    }
    assert(turns >= 5);
    /* What is known does not change by what cannot be played, and a copy has it. */
    uint8_t *before = malloc(elements), *after = malloc(elements);
    OK(propjit_knowledge_observe(known, 1, before, elements));
    FAILS(PROPJIT_STATUS_ILLEGAL_MOVE, "over", propjit_knowledge_add(known, state, (uint32_t[]){0, 0}, 2));
    OK(propjit_knowledge_clone(known, &copy));
    OK(propjit_knowledge_observe(copy, 1, after, elements));
    assert(memcmp(before, after, elements) == 0);
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "no role 2", propjit_knowledge_observe(copy, 2, after, elements));
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "elements", propjit_knowledge_observe(copy, 0, after, elements - 1));
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "null", propjit_knowledge_observe(copy, 0, NULL, elements));
    free(before);
    free(after);
    free(observed);
    free_outputs(&outputs);
    propjit_state_free(state);
    propjit_knowledge_free(copy);
    propjit_knowledge_free(known);
    propjit_environments_free(environments);
    propjit_planes_free(planes);
}

static void test_environments(PropjitGame *game, bool joint) {
    enum { COUNT = 300 };
    PropjitEnvironments *environments;
    PropjitEnvironmentOptions options = PROPJIT_INIT(PropjitEnvironmentOptions);
    PropjitShape shape = PROPJIT_INIT(PropjitShape);
    const size_t impossible[] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 16};
    for (int i = 0; i < 3; i++) {
        FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "too many",
              propjit_environments_new(game, impossible[i], NULL, &environments));
    }
    FAILS(PROPJIT_STATUS_OUT_OF_MEMORY, "use fewer",
          propjit_environments_new(game, (size_t)1000000000000000, NULL, &environments));
    options.threads = 1000000;
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "must be at most 1024",
          propjit_environments_new(game, 1000000, &options, &environments));
    options.threads = 2;
    options.rewards = 3;
    FAILS(PROPJIT_STATUS_BAD_ARGUMENT, "`rewards` is a number below 3",
          propjit_environments_new(game, COUNT, &options, &environments));
    options.rewards = PROPJIT_REWARDS_GOALS;
    options.max_steps = 1000;
    OK(propjit_environments_new(game, COUNT, &options, &environments));
    OK(propjit_environments_shape(environments, &shape));
    assert(shape.environments == COUNT && shape.actors == (joint ? 2 : 1));
    assert(shape.least_reward == 0 && shape.greatest_reward == 100);
    size_t actors = COUNT * shape.actors;
    PropjitOutputs outputs = outputs_of(&shape);
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
    outputs.legal = legal;
    free_outputs(&outputs);
    free(ranks);
    free(actions);
    propjit_environments_free(environments);
}

int main(int count, char **arguments) {
    assert(count == 2);
    const char *folder = arguments[1];
    /* The header and the library are of the same version. */
    assert(propjit_version() == PROPJIT_VERSION);
    test_loading();
    PropjitGame *game = load(folder, "ticTacToe");
    OK(propjit_game_wait(game));
    test_states(game);
    test_actions(game);
    test_sizes(game);
    test_playouts_and_search(game);
    test_environments(game, false);
    test_observations(game, true);
    PropjitGame *tron = load(folder, "tron");
    test_environments(tron, true);
    test_actions_of_states(game, tron);
    propjit_game_free(tron);
    const char *hidden[] = {"darkBreakthroughSmall", "kriegTicTacToe"};
    for (int i = 0; i < 2; i++) {
        PropjitGame *dark = load(folder, hidden[i]);
        test_observations(dark, false);
        propjit_game_free(dark);
    }
    PropjitGame *monty = load(folder, "montyHall");
    test_percepts(monty);
    propjit_game_free(monty);
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
