#ifndef PROPJIT_H
#define PROPJIT_H

/* Written by cbindgen from bindings/c/src: do not edit. */

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/**
 * propjit for C: games written in the Game Description Language. See docs/c.md. Running out of memory
 * ends the program.
 */

// The result of a call.
typedef enum PropjitStatus {
  // Success; results are written.
  PROPJIT_STATUS_OK = 0,
  // A pointer is null, a number out of range, or a text not UTF-8.
  PROPJIT_STATUS_BAD_ARGUMENT = 1,
  // A rulesheet cannot be read, is wrong, or cannot be played as asked.
  PROPJIT_STATUS_LOAD_FAILED = 2,
  // A move or an action is not legal, as none is in a terminal state.
  PROPJIT_STATUS_ILLEGAL_MOVE = 3,
  // A text names no move or proposition of the game.
  PROPJIT_STATUS_UNKNOWN_NAME = 4,
  // The rules leave the result undefined, or it took too long to compute.
  PROPJIT_STATUS_PLAY_FAILED = 5,
  // A bug in propjit. The objects of the call should not be used any more.
  PROPJIT_STATUS_PANICKED = 6,
  // There is not enough memory for the request.
  PROPJIT_STATUS_OUT_OF_MEMORY = 7,
  // The requested threads cannot be started.
  PROPJIT_STATUS_NO_THREADS = 8,
} PropjitStatus;

// Many matches of a game, played step by step. One thread at a time may use them.
//
// In each environment a player has a choice: forced moves are made without asking. A match that ends is followed by
// another one in the same place at once. See docs/c.md.
typedef struct PropjitEnvironments PropjitEnvironments;

// A loaded game. Any number of threads may use it at the same time. Objects made from it keep it
// alive.
typedef struct PropjitGame PropjitGame;

// A search, with its results so far. One thread at a time may use it.
typedef struct PropjitSearch PropjitSearch;

// A state of a game. Any number of threads may query it at the same time, unless one of them plays
// in it.
typedef struct PropjitState PropjitState;

// A request to end long work early, which may come from any thread.
typedef struct PropjitStop PropjitStop;

// The sizes of arrays.
typedef struct PropjitShape {
  // The number of environments.
  size_t environments;
  // The number of players: all roles but the one that plays at random.
  size_t players;
  // The number of actions that a step takes in each environment: one, or one of each player.
  size_t actors;
  // The number of base propositions.
  size_t propositions;
  // The number of actions that players have: see `propjit_game_actions`.
  size_t actions;
  // The number of actions that may be a choice of a player, which come first.
  size_t choices;
} PropjitShape;

// The caller's arrays, one environment after the other.
typedef struct PropjitOutputs {
  // Whether each proposition holds, 1 or 0: environments times propositions.
  uint8_t *observation;
  // Whether each action is legal, 1 or 0: environments times actors times actions.
  uint8_t *legal;
  // The number of legal actions: environments times actors.
  int32_t *legal_counts;
  // The number of the player that has a choice, and -1 if several have.
  int32_t *current;
  // The goals of the players where a match ended in a terminal state, not a number where a goal
  // is undefined, and zero elsewhere: environments times players.
  float *rewards;
  // Whether a match ended in a terminal state, 1 or 0.
  uint8_t *terminated;
  // Whether a match was given up, 1 or 0.
  uint8_t *truncated;
} PropjitOutputs;

// The results of random matches.
typedef struct PropjitPlayouts {
  // The number of matches that ended.
  uint64_t matches;
  // The number of joint moves, those of matches that did not end included.
  uint64_t state_changes;
  // The number of matches that were given up because they were too long.
  uint64_t truncated;
  // The number of matches that ended where a role has no legal move.
  uint64_t stuck;
  // The time in seconds.
  double seconds;
} PropjitPlayouts;

// The results for a role.
typedef struct PropjitSearchReport {
  // Whether there is a best move: not if there is no legal one, as in a terminal state.
  bool has_best;
  // The best move.
  uint32_t best;
  // Whether the value is proved.
  bool solved;
  // The goal that the role can expect, or not a number if nothing was searched.
  double value;
  // The number of nodes.
  uint64_t nodes;
  // The number of matches that were played since the state was set.
  uint64_t playouts;
} PropjitSearchReport;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Makes `count` environments on `threads` threads. With `joint`, a step takes an action of each
// player; this is required if several choose at the same time. A match of `max_steps` joint moves
// is truncated.
//
// # Safety
// `game` points to a game; a pointer can be written to `environments`.
enum PropjitStatus propjit_environments_new(const struct PropjitGame *game,
                                            size_t count,
                                            size_t threads,
                                            bool joint,
                                            uint32_t max_steps,
                                            struct PropjitEnvironments **environments);

// Frees environments. A null pointer is ignored.
//
// # Safety
// It is null, or was made by this library and not freed yet.
void propjit_environments_free(struct PropjitEnvironments *environments);

// The sizes of arrays.
//
// # Safety
// `environments` points to environments; `shape` can be written to.
enum PropjitStatus propjit_environments_shape(const struct PropjitEnvironments *environments,
                                              struct PropjitShape *shape);

// Starts a match in each environment.
//
// # Safety
// `environments` points to environments, `outputs` to arrays of their shape; they are not used
// otherwise meanwhile.
enum PropjitStatus propjit_environments_reset(struct PropjitEnvironments *environments,
                                              uint64_t seed,
                                              const struct PropjitOutputs *outputs);

// Takes an action of each actor in each environment. If one is not legal, nothing happens.
//
// # Safety
// `environments` points to environments, `actions` to as many numbers as there are environments
// times actors, `outputs` to arrays of their shape; they are not used otherwise meanwhile.
enum PropjitStatus propjit_environments_step(struct PropjitEnvironments *environments,
                                             const int32_t *actions,
                                             const struct PropjitOutputs *outputs);

// Takes `steps` actions in each environment, chosen at random. To `terminated` it writes how many
// matches ended in a terminal state; the arrays describe the last step.
//
// # Safety
// `environments` points to environments, `outputs` to arrays of their shape; they are not used
// otherwise meanwhile. `terminated` can be written to.
enum PropjitStatus propjit_environments_step_random(struct PropjitEnvironments *environments,
                                                    uint32_t steps,
                                                    const struct PropjitOutputs *outputs,
                                                    uint64_t *terminated);

// Writes to `actions` the legal actions that have these ranks, from 0.
//
// # Safety
// `environments` points to environments; `ranks` and `actions` point to as many numbers as there
// are environments times actors.
enum PropjitStatus propjit_environments_nth_legal(const struct PropjitEnvironments *environments,
                                                  const int32_t *ranks,
                                                  int32_t *actions);

// Makes a state that is a copy of that of an environment.
//
// # Safety
// `environments` points to environments; a pointer can be written to `state`.
enum PropjitStatus propjit_environments_state(const struct PropjitEnvironments *environments,
                                              size_t environment,
                                              struct PropjitState **state);

// Returns the message of the last call of this thread that failed. The text is valid until the
// next one fails, and must not be freed.
const char *propjit_last_error(void);

// Frees a text that this library returned. A null pointer is ignored.
//
// # Safety
// The text is null, or was returned by a function of this library and not freed yet.
void propjit_text_free(char *text);

// Loads the rulesheet in a file.
//
// # Safety
// `path` ends with a zero byte; a pointer can be written to `game`.
enum PropjitStatus propjit_game_load(const char *path, struct PropjitGame **game);

// Loads a rulesheet that is given as text; the name is for messages.
//
// # Safety
// `name` and `rules` end with a zero byte; a pointer can be written to `game`.
enum PropjitStatus propjit_game_from_text(const char *name,
                                          const char *rules,
                                          struct PropjitGame **game);

// Frees a game. A null pointer is ignored.
//
// # Safety
// It is null, or was made by this library and not freed yet.
void propjit_game_free(struct PropjitGame *game);

// Waits until there is machine code, which is made in the background otherwise.
//
// # Safety
// `game` points to a game.
enum PropjitStatus propjit_game_wait(const struct PropjitGame *game);

// The number of roles, which are numbered from 0.
//
// # Safety
// `game` points to a game; `roles` can be written to.
enum PropjitStatus propjit_game_roles(const struct PropjitGame *game, uint32_t *roles);

// The name of a role, to be freed with `propjit_text_free`.
//
// # Safety
// `game` points to a game; a pointer can be written to `name`.
enum PropjitStatus propjit_game_role_name(const struct PropjitGame *game,
                                          uint32_t role,
                                          char **name);

// The number of base propositions, and that of all moves that a role ever has, which are numbered
// from 0. Only a ground game has them.
//
// # Safety
// `game` points to a game; `propositions` and `moves` can be written to.
enum PropjitStatus propjit_game_sizes(const struct PropjitGame *game,
                                      uint32_t role,
                                      size_t *propositions,
                                      size_t *moves);

// The text of a move, to be freed with `propjit_text_free`.
//
// # Safety
// `game` points to a game; a pointer can be written to `name`.
enum PropjitStatus propjit_game_move_text(const struct PropjitGame *game,
                                          uint32_t role,
                                          uint32_t played,
                                          char **name);

// Finds the number of the move that a text spells. The prover takes any term for a move.
//
// # Safety
// `game` points to a game; `name` ends with a zero byte; `played` can be written to.
enum PropjitStatus propjit_game_parse_move(const struct PropjitGame *game,
                                           uint32_t role,
                                           const char *name,
                                           uint32_t *played);

// The number of actions: moves that are numbered from 0 for learners, the same move by the same
// number for all roles. Environments take them and write them. Only a ground game has them.
//
// The first `choices` of them are moves of players that may be legal beside another one of the same
// player. Then come, up to `players`, moves of players that are proved to be forced whenever they are
// legal; and up to `actions`, moves that only the role `random` has. Each of the three is sorted by
// functor, and then by arguments from left to right: numbers first, by value, and then other names.
// The numbers depend on the rulesheet alone.
//
// # Safety
// `game` points to a game; `choices`, `players` and `actions` can be written to.
enum PropjitStatus propjit_game_actions(const struct PropjitGame *game,
                                        size_t *choices,
                                        size_t *players,
                                        size_t *actions);

// The text of an action, to be freed with `propjit_text_free`.
//
// # Safety
// `game` points to a game; a pointer can be written to `name`.
enum PropjitStatus propjit_game_action_text(const struct PropjitGame *game,
                                            uint32_t action,
                                            char **name);

// The action that a move of a role is.
//
// # Safety
// `game` points to a game; `action` can be written to.
enum PropjitStatus propjit_game_move_action(const struct PropjitGame *game,
                                            uint32_t role,
                                            uint32_t played,
                                            uint32_t *action);

// The number of the move of a role that an action is.
//
// # Safety
// `game` points to a game; `played` can be written to.
enum PropjitStatus propjit_game_action_move(const struct PropjitGame *game,
                                            uint32_t role,
                                            uint32_t action,
                                            uint32_t *played);

// Makes a token that is not set.
//
// # Safety
// A pointer can be written to `stop`.
enum PropjitStatus propjit_stop_new(struct PropjitStop **stop);

// Asks the work with this token to end. Safe in any thread, at any time, and in signal handlers.
//
// # Safety
// It is null, or points to a token.
void propjit_stop_set(const struct PropjitStop *stop);

// Frees a token. A null pointer is ignored.
//
// # Safety
// It is null, or was made by this library and not freed yet.
void propjit_stop_free(struct PropjitStop *stop);

// Plays random matches from the initial state, on `threads` threads, until `matches` of them have
// ended or the token, which may be null, is set. To `mean_goals`, unless it is null, it writes the
// mean goal of each role, or not a number if no match ended with one.
//
// # Safety
// `game` points to a game, `stop` is null or points to a token; `result` can be written to, and
// `mean_goals` is null or can be written to as many times as there are roles.
enum PropjitStatus propjit_game_playouts(const struct PropjitGame *game,
                                         uint64_t matches,
                                         size_t threads,
                                         uint64_t seed,
                                         uint32_t max_steps,
                                         const struct PropjitStop *stop,
                                         struct PropjitPlayouts *result,
                                         double *mean_goals);

// Makes a search from the initial state, on `threads` threads, with `memory` bytes of memory (0 is
// the default). With `evaluation`, an evaluation of states is learned at first.
//
// # Safety
// `game` points to a game; a pointer can be written to `search`.
enum PropjitStatus propjit_search_new(const struct PropjitGame *game,
                                      size_t threads,
                                      uint64_t seed,
                                      size_t memory,
                                      bool evaluation,
                                      struct PropjitSearch **search);

// Frees a search. A null pointer is ignored.
//
// # Safety
// It is null, or was made by this library and not freed yet.
void propjit_search_free(struct PropjitSearch *search);

// Searches from another state from now on, which comes after `depth` joint moves.
//
// # Safety
// `search` points to a search that is not used otherwise meanwhile, `state` to a state of its
// game.
enum PropjitStatus propjit_search_set_root(struct PropjitSearch *search,
                                           const struct PropjitState *state,
                                           uint32_t depth);

// Searches until `seconds` have passed, `playouts` more playouts have ended, or `nodes` more nodes
// were made, each without limit if it is 0; or until the token, which may be null, is set, or the
// value is proved. Without any limit and token, nothing is searched.
//
// # Safety
// `search` points to a search that is not used otherwise meanwhile; `stop` is null or points to a
// token.
enum PropjitStatus propjit_search_run(struct PropjitSearch *search,
                                      double seconds,
                                      uint64_t playouts,
                                      uint64_t nodes,
                                      const struct PropjitStop *stop);

// Returns the results for a role so far.
//
// # Safety
// `search` points to a search that is not used otherwise meanwhile; `report` can be written to.
enum PropjitStatus propjit_search_report(struct PropjitSearch *search,
                                         uint32_t role,
                                         struct PropjitSearchReport *report);

// Makes the state in which every match starts.
//
// # Safety
// `game` points to a game; a pointer can be written to `state`.
enum PropjitStatus propjit_state_initial(const struct PropjitGame *game,
                                         struct PropjitState **state);

// Makes the state in which exactly these propositions hold: one in each line, as
// `propjit_state_text` writes them. The prover takes any term for a proposition.
//
// # Safety
// `game` points to a game; `fluents` ends with a zero byte; a pointer can be written to `state`.
enum PropjitStatus propjit_state_parse(const struct PropjitGame *game,
                                       const char *fluents,
                                       struct PropjitState **state);

// Makes a copy of a state.
//
// # Safety
// `state` points to a state; a pointer can be written to `copy`.
enum PropjitStatus propjit_state_clone(const struct PropjitState *state,
                                       struct PropjitState **copy);

// Frees a state. A null pointer is ignored.
//
// # Safety
// It is null, or was made by this library and not freed yet.
void propjit_state_free(struct PropjitState *state);

// The text of a state: its propositions, sorted, one in each line. To be freed with
// `propjit_text_free`.
//
// # Safety
// `state` points to a state; a pointer can be written to `fluents`.
enum PropjitStatus propjit_state_text(const struct PropjitState *state, char **fluents);

// Determines whether two states, of the same game, are equal.
//
// # Safety
// `one` and `other` point to states; `equal` can be written to.
enum PropjitStatus propjit_state_equal(const struct PropjitState *one,
                                       const struct PropjitState *other,
                                       bool *equal);

// Determines whether a match ends in the state.
//
// # Safety
// `state` points to a state; `terminal` can be written to.
enum PropjitStatus propjit_state_terminal(const struct PropjitState *state, bool *terminal);

// The goal of a role. The status is `PROPJIT_STATUS_PLAY_FAILED` if it does not have exactly one
// value.
//
// # Safety
// `state` points to a state; `goal` can be written to.
enum PropjitStatus propjit_state_goal(const struct PropjitState *state,
                                      uint32_t role,
                                      int32_t *goal);

// Writes the numbers of a role's legal moves to `moves`, up to `capacity` of them, and to `count`
// how many there are: none in a terminal state.
//
// # Safety
// `state` points to a state; `count` can be written to, and `moves` as many times as `capacity`
// says.
enum PropjitStatus propjit_state_legal(const struct PropjitState *state,
                                       uint32_t role,
                                       uint32_t *moves,
                                       size_t capacity,
                                       size_t *count);

// Replaces the state by the one after a move of each role, in their order. If one is not legal, or
// the match is over, the state does not change.
//
// # Safety
// `state` points to a state that is not used otherwise meanwhile; `moves` points to `count`
// numbers.
enum PropjitStatus propjit_state_play(struct PropjitState *state,
                                      const uint32_t *moves,
                                      size_t count);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PROPJIT_H */
