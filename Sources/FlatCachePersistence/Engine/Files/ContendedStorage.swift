/// A storage that locks a folder to write, so that a write waits or fails while another process
/// holds the lock.
protocol ContendedStorage<Key, Value>: Storage {
    /// The maximum time that a write waits for other processes.
    var timeout: Duration { get }

    /// The maximum time that a set property waits for other processes: a moment, or nothing while
    /// the folder is known to be locked.
    var patience: Duration { get }

    var clock: any PersistenceClock { get }

    /// Stores or removes a value, or throws an error at once if another process holds the lock.
    func storeAtOnce(_ value: Value?, key: Key) throws

    /// Throws an error if another process holds the lock.
    func checkIsFree() throws
}
