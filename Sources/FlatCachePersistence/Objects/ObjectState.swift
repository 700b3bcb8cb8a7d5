/// What a persistent object knows.
///
/// A plain value; the object keeps it under a lock for moments, and changes it only while it holds
/// the lock of its place, too.
struct ObjectState<Object: Sendable>: Sendable {
    /// What is in memory; `nil` stands for none, and then the default is read.
    var object: Object?
    /// What was stored when the object was last loaded or saved; `nil` while it could not be read.
    var base: ObjectContent?
    /// The encoded form of the object when it was last loaded or saved, if it may change in place.
    var fingerprint: ObjectContent?
    /// The encoded form of the default when it was evaluated, if it may change in place.
    var defaultFingerprint: ObjectContent?
    /// The version of the place that this is of; zero for none.
    var version = 0
    /// Why `base` could not be understood.
    var problem: PersistenceError?
    /// Whether memory has something that is not stored.
    var isDirty = false
    /// Whether memory is to take the place of whatever is stored.
    var replaces = false
    /// The last error that was reported, until all is right.
    var reported: String?
    /// The versions that this object has made itself, until it has been told of them.
    var ownVersions: Set<Int> = []

    /// Notes that memory and the place agree.
    mutating func settle(_ content: ObjectContent, _ fingerprint: ObjectContent?, version: Int) {
        base = content
        // One copy in memory is enough.
        self.fingerprint = fingerprint == content ? content : fingerprint
        self.version = version
        problem = nil
        reported = nil
        isDirty = false
        replaces = false
    }
}
