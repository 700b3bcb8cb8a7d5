// FlatCachePersistence doesn't bring FlatCache's names along: a file that uses them imports FlatCache.
import FlatCachePersistence

// error: cannot find type 'Batch' in scope
func change(_ batch: Batch<Int>) {}
// error: cannot find type 'Change' in scope
func show(_ change: Change<Int>) {}
