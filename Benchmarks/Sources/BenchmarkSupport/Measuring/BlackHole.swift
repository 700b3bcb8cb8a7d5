import Synchronization

// Always false; the compiler cannot know.
private let isTransparent = Atomic<Bool>(false)

/// Uses a value, so that the compiler cannot leave out the work that has made it.
///
/// Costs a load and a branch: less than handing the value to code that is not optimized, which would
/// blur a comparison of fast operations.
@inline(never)
func blackHole<Value>(_ value: Value) {
    if isTransparent.load(ordering: .relaxed) { print(value) }
}
