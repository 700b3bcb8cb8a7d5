import FlatCache

/// An object that calls a closure when it is deallocated.
final class Receipt: Sendable {
    private let onDeinit: @Sendable () -> Void

    init(_ onDeinit: @escaping @Sendable () -> Void = {}) {
        self.onDeinit = onDeinit
    }

    deinit { onDeinit() }
}

/// An entity that holds an object.
struct Loan: Identifiable, Sendable {
    let id: Int
    var receipt: Receipt
}

/// A weak reference.
struct Weak<Object: AnyObject & Sendable>: Sendable {
    private(set) weak var object: Object?

    init(_ object: Object) {
        self.object = object
    }
}
