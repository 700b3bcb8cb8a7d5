public import Synchronization

/// The known value of one key, in this process and in the storage.
///
/// The channel of the key guards it with a lock.
struct ChannelState<Value: Sendable> {
    /// A known content: unknown, a value, or no value.
    enum Knowledge {
        case unknown
        case known(Value?)

        func holds(_ value: Value?, _ areEqual: ValueComparison<Value>?) -> Bool {
            guard case .known(let known) = self else { return false }
            switch (known, value) {
            case (nil, nil): return true
            case (let known?, let value?): return areEqual?(known, value) ?? false
            default: return false
            }
        }
    }

    /// `true` if `current` could not be stored.
    ///
    /// Cheaper than a comparison of `unsaved` with `nil`: that looks up the type's metadata.
    private(set) var isUnsaved = false
    /// The value that this process reads.
    var current = Knowledge.unknown
    /// The last known value of the storage.
    ///
    /// It differs from `current` while a value could not be stored.
    var stored = Knowledge.unknown
    /// The description of the last reported read error, until a value is read again.
    var reportedError: String?
    /// The number of reports that the storage may hold another value.
    private(set) var reportCount = 0
    /// The number of these reports that a read of the storage has handled.
    private var handledReportCount = 0
    /// The state of `current` if it could not be stored, so that the storage holds another value.
    var unsaved: UnsavedState<Value>? {
        didSet { isUnsaved = unsaved != nil }
    }
    /// `true` while an attempt to store the unsaved value on another thread is scheduled.
    var isStoringInBackground = false
    /// The number of users for which `current` is kept up to date.
    private var users = 0

    var isInUse: Bool { users > 0 }

    /// `true` if reads can skip the storage.
    var isKnown: Bool {
        if case .known = current { true } else { false }
    }

    /// Adds a user, and returns whether it's the first.
    mutating func beginUse() -> Bool {
        users += 1
        return users == 1
    }

    /// Removes a user, and returns whether it was the last one.
    ///
    /// Without users, `current` isn't kept up to date.
    mutating func endUse() -> Bool {
        users -= 1
        return users == 0
    }

    /// Sets the value that this process reads and the known value of the storage.
    mutating func set(current: Knowledge, stored: Knowledge) {
        self.current = current
        self.stored = stored
        if isUnsaved { unsaved = nil }
    }

    /// `true` if `current` must be compared with the storage before the next read.
    var isOutdated: Bool { reportCount != handledReportCount }

    /// Records that the storage may hold another value.
    mutating func markOutdated() { reportCount += 1 }

    /// Records that `current` has been compared with the storage.
    ///
    /// - Parameter count: The report count before the storage was read. Later reports still require
    ///   a comparison.
    mutating func recordComparison(handling count: Int) {
        handledReportCount = max(handledReportCount, count)
    }
}

/// The state of a value in memory that could not be stored.
struct UnsavedState<Value: Sendable>: Sendable {
    /// Returns whether a stored value is corrupt for the user who set the unsaved value.
    ///
    /// It's `nil` if no corrupt value was possible, or if it has been copied.
    ///
    /// A corrupt value has to be copied before any user replaces it.
    var isCorrupt: (@Sendable (Value?) -> Bool)?
    /// `true` if the corrupt value has been copied, so that no other attempt copies it again.
    var hasCopiedCorruptValue = false
    var retries = RetrySchedule()
    /// The lease that keeps the channel open until the value is stored or replaced, if the storage
    /// has channels.
    var lease: ChannelLease<Value>?
}

/// An event of a channel, sent to its listeners.
enum StorageEvent<Value: Sendable>: Sendable {
    /// The value changed to another or was removed, as of the given version.
    case changed(Value?, version: Int)
    /// An operation failed; the value in memory remains current.
    case failed(any Error)
}

/// The version that advances with each change of the value under a key.
///
/// It's a separate object, so that code that remembers a value can check with a single load whether
/// the value is current.
@usableFromInline
final class ValueVersion: Sendable {
    // Inlined together with its enclosing property, because the call took a fifth of the time of a
    // read (row 19 of the benchmarks).
    @usableFromInline let number = Atomic<Int>(1)

    /// The current version; never zero.
    @inlinable var current: Int { number.load(ordering: .acquiring) }

    func advance() -> Int { number.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue }
}

/// A closure that returns whether two values are equal, so that storing one over the other isn't a
/// change.
typealias ValueComparison<Value> = @Sendable (Value, Value) -> Bool

/// The lookup of a comparison for values of a generic type.
struct ValueComparing<Value: Sendable>: Sendable {
    /// The comparison of two values, if their type is `Equatable` on every thread.
    static var found: ValueComparison<Value>? {
        guard let equatable = Self() as? any EquatableValues<Value> else { return nil }
        return { equatable.areEqual($0, $1) }
    }
}

/// A comparison of values.
///
/// It refines `Sendable`, so that a cast to it never finds a conformance to `Equatable` that is
/// isolated to an actor (SE-0470).
private protocol EquatableValues<Value>: Sendable {
    associatedtype Value

    func areEqual(_ left: Value, _ right: Value) -> Bool
}

extension ValueComparing: EquatableValues where Value: Equatable {
    func areEqual(_ left: Value, _ right: Value) -> Bool { left == right }
}
