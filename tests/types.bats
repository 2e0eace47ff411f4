load common

@test "types: all operators on all pairs of types against NumPy, by the tables of doc/types.md" {
    py "import sys, os
sys.path.insert(0, os.environ['GANTRY_SOURCE'] + '/tests')
import numpy_types; numpy_types.make('.')"
    "$GANTRY_BUILD/unit/array_types" .
    py "import sys, os, numpy_types
sys.exit(numpy_types.check('.', os.environ['GANTRY_SOURCE'] + '/doc/types.md'))"
}
