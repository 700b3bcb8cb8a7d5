struct WeakDelegate: Sendable {
    weak var delegate: (any PersistentObjectDelegate)?
}
