import FlatCache

/// An object that tells when it is deallocated.
final class Receipt: Sendable {
    private let onDeinit: @Sendable () -> Void

    init(_ onDeinit: @escaping @Sendable () -> Void = {}) {
        self.onDeinit = onDeinit
    }

    deinit { onDeinit() }
}

/// A value that holds an object.
struct Loan: Identifiable, Sendable {
    let id: Int
    var receipt: Receipt
}

/// A reference that doesn't keep its object.
struct Weak<Object: AnyObject & Sendable>: Sendable {
    private(set) weak var object: Object?

    init(_ object: Object) {
        self.object = object
    }
}
