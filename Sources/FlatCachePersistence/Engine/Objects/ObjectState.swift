/// The state of a persistent object.
///
/// The object holds the state's lock only for short accesses. It changes the state only while it
/// also holds the lock of its key.
struct ObjectState<Object: Sendable>: Sendable {
    /// The object in memory, or `nil` if there is none and readers get the default.
    var object: Object?
    /// The content that was stored when the object was last loaded or saved, or `nil` if no read
    /// has succeeded.
    var base: ObjectContent?
    /// The encoded form of the object, or of the default if there is no object, when it was last
    /// loaded, saved or evaluated, if it may change in place.
    var fingerprint: ObjectContent?
    /// The version of the stored content that this state reflects, or zero if there is none.
    var version = 0
    /// The error of decoding `base`, if `base` is corrupt.
    var problem: PersistenceError?
    /// `true` if the object in memory has unsaved changes.
    var isDirty = false
    /// `true` if the next save replaces the stored content without asking the conflict rule.
    var replaces = false
    /// The versions that this object has written and whose notifications haven't arrived.
    var ownVersions: Set<Int> = []

    /// Records that the object in memory matches the stored content.
    mutating func recordStored(
        _ content: ObjectContent,
        _ fingerprint: ObjectContent?,
        version: Int
    ) {
        base = content
        // If the two are equal, they share one copy of the bytes.
        self.fingerprint = fingerprint == content ? content : fingerprint
        self.version = version
        problem = nil
        isDirty = false
        replaces = false
    }
}
