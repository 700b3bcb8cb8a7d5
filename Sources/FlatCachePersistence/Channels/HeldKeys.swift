import FlatCache

/// The number of keys that each thread holds locked, and the delivery lines that wait until it
/// holds none.
///
/// An update of one key may write another key. The listeners of the second key are called after the
/// first key is unlocked as well, so that they may use both.
enum HeldKeys {
    private struct Holder {
        var depth = 0
        var lines: [DeliveryLine] = []
    }

    private static let holders = Guarded<[UInt: Holder]>([:])

    /// Records that this thread is about to lock a key.
    static func begin() {
        holders.withLock { $0[currentThread, default: Holder()].depth += 1 }
    }

    /// Records that this thread has unlocked a key, whose line may hold calls.
    ///
    /// - Returns: The lines to deliver if this was the last key; otherwise an empty array.
    static func end(_ line: DeliveryLine) -> [DeliveryLine] {
        holders.withLock { holders in
            guard var holder = holders[currentThread] else { return [line] }
            holder.depth -= 1
            if !holder.lines.contains(where: { $0 === line }) { holder.lines.append(line) }
            holders[currentThread] = holder.depth > 0 ? holder : nil
            return holder.depth > 0 ? [] : holder.lines
        }
    }

    /// Postpones the calls of a line if this thread holds any key.
    ///
    /// - Returns: `true` if the calls are postponed.
    static func postpone(_ line: DeliveryLine) -> Bool {
        holders.withLock { holders in
            guard holders[currentThread] != nil else { return false }
            holders[currentThread]?.lines.append(line)
            return true
        }
    }
}
