import FlatCache

/// How many keys each thread holds locked, and the lines whose calls wait until it holds none.
///
/// An update of one key may write another: the listeners of that are called when the first is no longer
/// locked either, so that they may use both.
enum HeldKeys {
    private struct Holder {
        var depth = 0
        var lines: [DeliveryLine] = []
    }

    private static let holders = Guarded<[UInt: Holder]>([:])

    /// Notes that this thread is about to lock a key.
    static func begin() {
        holders.withLock { $0[currentThread, default: Holder()].depth += 1 }
    }

    /// Notes that this thread has unlocked a key, and that there may be calls in the key's line.
    ///
    /// - Returns: The lines to deliver, if this was the last.
    static func end(_ line: DeliveryLine) -> [DeliveryLine] {
        holders.withLock { holders in
            guard var holder = holders[currentThread] else { return [line] }
            holder.depth -= 1
            if !holder.lines.contains(where: { $0 === line }) { holder.lines.append(line) }
            holders[currentThread] = holder.depth > 0 ? holder : nil
            return holder.depth > 0 ? [] : holder.lines
        }
    }

    /// Leaves the calls in a line for the end, if this thread holds any key.
    ///
    /// - Returns: Whether it does.
    static func postpone(_ line: DeliveryLine) -> Bool {
        holders.withLock { holders in
            guard holders[currentThread] != nil else { return false }
            holders[currentThread]?.lines.append(line)
            return true
        }
    }
}
