// FlatCachePersistence doesn't bring FlatCache's names along: a file that uses them imports
// FlatCache.
import FlatCachePersistence

// error: cannot find type 'CacheBatch' in scope
func change(_ batch: CacheBatch) {}
// error: cannot find type 'EntityChange' in scope
func show(_ change: EntityChange<Int>) {}
