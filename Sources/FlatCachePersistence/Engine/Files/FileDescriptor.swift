import Foundation

/// An open file, closed on deinitialization.
struct FileDescriptor: ~Copyable {
    let number: Int32
    let path: String

    init(_ path: String, _ flags: Int32, mode: mode_t = 0) throws {
        let number = retrying { open(path, flags | O_CLOEXEC, mode) }
        guard number >= 0 else { throw FileError("open", path) }
        self.number = number
        self.path = path
    }

    deinit { close(number) }

    func status() throws -> stat {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw FileError("read the status of", path) }
        return status
    }

    /// Returns the contents from the current position to the end.
    ///
    /// - Parameter expected: The expected number of bytes.
    func readToEnd(expected: Int) throws -> Data {
        // Not read by `Data` itself, because `Data` traps if memory is short: any user can make a
        // file appear huge.
        var room = expected < Int.max ? max(expected, 0) + 1 : Int.max
        guard var bytes = malloc(room) else { throw FileError("read", path, code: ENOMEM) }
        var used = 0
        do {
            while true {
                if used == room {
                    let (doubled, isTooLarge) = room.multipliedReportingOverflow(by: 2)
                    guard !isTooLarge, let larger = realloc(bytes, doubled) else {
                        throw FileError("read", path, code: ENOMEM)
                    }
                    (bytes, room) = (larger, doubled)
                }
                let (start, rest) = (bytes + used, room - used)
                let count = retrying { read(number, start, rest) }
                guard count >= 0 else { throw FileError("read", path) }
                if count == 0 { break }
                used += count
            }
        } catch {
            free(bytes)
            throw error
        }
        return Data(bytesNoCopy: bytes, count: used, deallocator: .free)
    }

    func write(_ data: Data) throws {
        try data.withUnsafeBytes { bytes in
            var remainder = bytes
            while let start = remainder.baseAddress, !remainder.isEmpty {
                let (count, room) = (remainder.count, start)
                let written = retrying { writeBytes(number, room, count) }
                guard written >= 0 else { throw FileError("write", path) }
                remainder = UnsafeRawBufferPointer(rebasing: remainder.dropFirst(written))
            }
        }
    }

    /// Waits until written data is as safe as a policy demands.
    func synchronize(_ durability: FileDurability) throws {
        if durability == .unsynchronized { return }
        #if canImport(Darwin)
        // On Apple's systems, `fsync` lets the drive choose when, and in which order, it writes the
        // data. Some file systems don't support the stricter commands, so `fsync` remains the
        // fallback.
        let command = durability == .durable ? F_FULLFSYNC : F_BARRIERFSYNC
        if retrying({ fcntl(number, command) }) == 0 { return }
        #endif
        guard retrying({ fsync(number) }) == 0 else { throw FileError("synchronize", path) }
    }
}

/// The system's `write` under a name that no method of `FileDescriptor` shadows.
private func writeBytes(_ number: Int32, _ start: UnsafeRawPointer, _ count: Int) -> Int {
    write(number, start, count)
}

/// Repeats a system call while a signal interrupts it.
func retrying<Result: FixedWidthInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}
