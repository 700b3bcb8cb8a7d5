/// A weak reference to a delegate.
struct WeakDelegate: Sendable {
    weak var delegate: (any PersistentObjectDelegate)?
}
