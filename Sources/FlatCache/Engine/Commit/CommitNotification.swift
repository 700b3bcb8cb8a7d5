/// A notification that a commit causes.
struct CommitNotification {
    /// The number of the registration, which determines the order of a commit's notifications.
    let number: UInt64
    let notification: Notification

    init(number: UInt64, _ notification: Notification) {
        self.number = number
        self.notification = notification
    }
}

extension [CommitNotification] {
    /// The notifications in the order of registration.
    var inOrder: [Notification] {
        if count == 1 { return [self[0].notification] }
        let isInOrder = zip(self, dropFirst()).allSatisfy { $0.number <= $1.number }
        let ordered = isInOrder ? self : sorted { $0.number < $1.number }
        return ordered.map(\.notification)
    }
}
