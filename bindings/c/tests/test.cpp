/* The header in C++: structures that start with their size. */

#include <cassert>

#include "propjit.h"

int main() {
    PropjitSearchOptions options = PROPJIT_INIT(PropjitSearchOptions);
    assert(options.size == sizeof options && options.seed == 0 && !options.evaluation);
    assert(propjit_version() == PROPJIT_VERSION);
    return 0;
}
