import FlatCache

/// An object that calls a closure when it is deallocated.
final class Receipt: Sendable {
    private let onDeinit: @Sendable () -> Void

    init(_ onDeinit: @escaping @Sendable () -> Void = {}) {
        self.onDeinit = onDeinit
    }

    deinit {
        onDeinit()
        #if TestHooks
        StateTracking.didChangeAtomically(StateTracking.lockless)
        #endif
    }
}

/// An entity that holds an object.
struct Loan: Identifiable, Sendable {
    let id: Int
    var receipt: Receipt
}

/// A weak reference whose end a test can await if the object's `deinit` announces it.
struct Weak<Object: AnyObject & Sendable>: Sendable {
    private weak var reference: Object?

    init(_ object: Object?) { reference = object }

    var object: Object? {
        #if TestHooks
        StateTracking.didRead(StateTracking.lockless)
        #endif
        return reference
    }
}
