/// The end of a mailbox that an observer holds: when it goes, because the observation has ended, the
/// mailbox ends.
final class MailboxSender<Element: Sendable>: Sendable {
    private let mailbox: Guarded<Mailbox<Element>>

    init(to mailbox: Guarded<Mailbox<Element>>) {
        self.mailbox = mailbox
    }

    deinit { mailbox.withLock { $0.end() }?() }

    func send(_ element: Element) { mailbox.withLock { $0.put(element) }?() }

    /// Sends several elements, of which a consumer that waits gets the first.
    func send(contentsOf elements: [Element]) {
        mailbox.withLock { mailbox in
            var wakening: Mailbox<Element>.Wakening?
            for element in elements {
                if let woken = mailbox.put(element) { wakening = woken }
            }
            return wakening
        }?()
    }
}
