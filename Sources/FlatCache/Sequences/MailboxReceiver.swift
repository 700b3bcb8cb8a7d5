/// The end of a mailbox that a consumer holds: when it goes, or the consumer's task is cancelled, the
/// observation ends.
final class MailboxReceiver<Element: Sendable>: Sendable {
    private let mailbox: Guarded<Mailbox<Element>>
    private let observation: Disposable

    /// Begins to observe, with a mailbox for what that brings.
    init(
        _ policy: BufferingPolicy,
        observe: (MailboxSender<Element>) -> Disposable
    ) {
        mailbox = Guarded(Mailbox(policy))
        observation = observe(MailboxSender(to: mailbox))
    }

    deinit { cancel() }

    /// The oldest element that is there, or the next one to come; `nil` when none will.
    func next(isolation: isolated (any Actor)?) async -> Element? {
        await withTaskCancellationHandler(
            operation: {
                await withUnsafeContinuation(isolation: isolation) { waiter in
                    mailbox.withLock { $0.wait(waiter) }?()
                }
            },
            onCancel: { cancel() },
            isolation: isolation
        )
    }

    private func cancel() {
        mailbox.withLock { $0.cancel() }.wakening?()
        observation.dispose()
    }
}
