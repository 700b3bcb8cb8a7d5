import Testing

extension ExitTest.Result {
    /// The text that the process wrote to its standard error.
    ///
    /// The exit test must observe `standardErrorContent`.
    package var message: ExitMessage {
        ExitMessage(text: String(decoding: standardErrorContent, as: UTF8.self))
    }
}

/// The message of a process that has trapped.
package struct ExitMessage {
    package let text: String

    /// Returns a Boolean value that indicates whether the message contains a text.
    ///
    /// The result is always `true` in optimized builds, which print no message.
    package func contains(_ part: String) -> Bool {
        #if DEBUG
        text.contains(part)
        #else
        true
        #endif
    }
}
