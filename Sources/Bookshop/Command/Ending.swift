import Foundation

/// The end of a command that runs until the user ends it.
struct Ending {
    private let ended = DispatchSemaphore(value: 0)
    private let interruption: any DispatchSourceSignal

    /// Begins to listen for Ctrl-C, and for the end of the standard input.
    init() {
        // Otherwise the signal ends the process before the source receives it.
        signal(SIGINT, SIG_IGN)
        interruption = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        interruption.setEventHandler { [ended] in ended.signal() }
        // The source begins to listen some time after `resume()`. Until then, Ctrl-C does nothing.
        let listening = DispatchSemaphore(value: 0)
        interruption.setRegistrationHandler { listening.signal() }
        interruption.resume()
        listening.wait()
        Thread.detachNewThread { [ended] in
            // An input that can't be read counts as ended.
            while let data = try? FileHandle.standardInput.read(upToCount: 4096), !data.isEmpty {}
            ended.signal()
        }
    }

    func wait() {
        ended.wait()
        interruption.cancel()
    }
}
