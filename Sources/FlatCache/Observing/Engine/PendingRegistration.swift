/// An observation or a pin that still has to be added under the writers' lock.
///
/// A registering thread never waits for that lock. If another thread holds the lock, the
/// registration waits in the `CommitClock`. A thread adds it as soon as possible: a committing
/// thread, when its commit begins and again after it has published, or a thread that acquires the
/// lock. Until then, an open snapshot keeps the version readable at which the observation starts.
final class PendingRegistration: @unchecked Sendable {
    // The closures and `number` are constant; the other properties name their guard.

    /// Adds the observation or the pin, with the version at which it starts, under the writers'
    /// lock.
    let add: @Sendable (_ version: UInt64) -> Void
    /// Returns the observer's initial notification as of a version that is still readable.
    let initialNotification: @Sendable (_ version: UInt64) -> Notification?
    /// The number of the observer or the participant, or `nil` if nothing has to learn of commits.
    let number: UInt64?

    /// `true` if another thread adds the registration.
    ///
    /// Only the registering thread uses it.
    var isWaiting = false

    // Guarded by the clock's lock.

    /// The version that was visible at the time of the registration.
    ///
    /// It doesn't change afterwards. All later commits notify the observer.
    var version: UInt64 = 0
    /// The position among the waiting registrations, or `nil` if this one isn't waiting.
    var position: Int?

    // Guarded by the lock of the cache's delivery queue.

    /// `true` if the initial notification has been enqueued or doesn't exist.
    var hasInitialTicket = false
    var initialTicket: DeliveryTicket?

    init(
        number: UInt64? = nil,
        of observer: Observer? = nil,
        initial: @escaping @Sendable (_ version: UInt64) -> Notification? = { _ in nil },
        add: @escaping @Sendable (_ version: UInt64) -> Void
    ) {
        self.number = number ?? observer?.registration
        self.add = add
        initialNotification = initial
    }
}

/// A list of elements in the order in which their observations were registered.
///
/// A removal leaves a gap, and the gaps are closed when they outnumber the elements. A removal from
/// *n* elements therefore takes O(log *n*) time on average, and an iteration keeps the order.
struct RegistrationList<Element>: Sequence {
    private var elements: [(registration: UInt64, element: Element?)] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    subscript(registration: UInt64) -> Element? {
        let index = firstIndex(notBefore: registration)
        guard index < elements.count, elements[index].registration == registration else {
            return nil
        }
        return elements[index].element
    }

    mutating func insert(_ element: Element, for registration: UInt64) {
        let index = firstIndex(notBefore: registration)
        if index < elements.count, elements[index].registration == registration {
            if elements[index].element == nil { count += 1 }
            elements[index].element = element
        } else {
            elements.insert((registration, element), at: index)
            count += 1
        }
    }

    mutating func remove(_ registration: UInt64) {
        let index = firstIndex(notBefore: registration)
        guard index < elements.count, elements[index].registration == registration,
            elements[index].element != nil
        else { return }
        elements[index].element = nil
        count -= 1
        if count * 2 < elements.count {
            elements.removeAll { $0.element == nil }
        }
    }

    func makeIterator() -> some IteratorProtocol<Element> {
        elements.lazy.compactMap(\.element).makeIterator()
    }

    private func firstIndex(notBefore registration: UInt64) -> Int {
        // A new observation has the greatest number, so its place is the end.
        guard let last = elements.last, last.registration >= registration else {
            return elements.count
        }
        return elements.indices.partitionPoint { elements[$0].registration >= registration }
    }
}
