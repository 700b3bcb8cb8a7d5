/// The observer's end of a mailbox.
///
/// The mailbox ends when the sender is deallocated because the observation has ended.
package final class MailboxSender<Element: Sendable>: Sendable {
    private let mailbox: Locked<Mailbox<Element>>

    init(to mailbox: Locked<Mailbox<Element>>) {
        self.mailbox = mailbox
    }

    deinit { mailbox.withLock { $0.end() }?() }

    package func send(_ element: Element) { mailbox.withLock { $0.put(element) }.resumption?() }

    /// Sends several elements, of which a waiting consumer receives the first.
    func send(contentsOf elements: [Element]) {
        var resumption: Mailbox<Element>.Resumption?
        // Declared outside the closure, so that the elements are released after the lock.
        var displaced: [Element] = []
        mailbox.withLock { mailbox in
            for element in elements {
                let effect = mailbox.put(element)
                if let present = effect.resumption { resumption = present }
                if let old = effect.displaced { displaced.append(old) }
            }
        }
        resumption?()
    }
}
