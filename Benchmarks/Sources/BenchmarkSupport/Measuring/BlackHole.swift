import Synchronization

// Always false, which the compiler doesn't know.
private let isTransparent = Atomic<Bool>(false)

/// Uses a value, so that the compiler can't eliminate the work that has produced it.
///
/// Costs a load and a branch: less than passing the value to code that isn't optimized, which would
/// distort a comparison of fast operations.
@inline(never)
func blackHole<Value>(_ value: Value) {
    if isTransparent.load(ordering: .relaxed) { print(value) }
}
