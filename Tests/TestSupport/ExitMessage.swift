import Testing

extension ExitTest.Result {
    /// What the process has written to its standard error, which must have been observed.
    package var message: ExitMessage {
        ExitMessage(text: String(decoding: standardErrorContent, as: UTF8.self))
    }
}

/// What a process that has trapped has said.
package struct ExitMessage {
    package let text: String

    /// Whether the message contains a text; always in optimized builds, which print none.
    package func contains(_ part: String) -> Bool {
        #if DEBUG
        text.contains(part)
        #else
        true
        #endif
    }
}
