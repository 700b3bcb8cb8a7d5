/// An object that fires a signal when it is deallocated.
///
/// A test that awaits the release of a closure captures the object in the closure.
package final class TrackedObject: Sendable {
    private let end: Signal

    package init(_ end: Signal) { self.end = end }

    deinit { end.fire() }
}
