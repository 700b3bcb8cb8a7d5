import Foundation

/// An open file that is closed when it goes.
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
        guard fstat(number, &status) == 0 else { throw FileError("look at", path) }
        return status
    }

    /// The contents from here to the end.
    ///
    /// - Parameter expected: How many bytes there are, as far as is known.
    func readToEnd(expected: Int) throws -> Data {
        // Not by `Data` itself, which traps where there is no room: anybody can make a file look huge.
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

    /// Returns when what has been written is as safe as a policy says.
    func synchronize(_ durability: FileDurability) throws {
        if durability == .unsynchronized { return }
        #if canImport(Darwin)
        // There `fsync` leaves it to the drive when, and in which order, it writes what it was given. Not
        // every file system has what does not.
        let command = durability == .durable ? F_FULLFSYNC : F_BARRIERFSYNC
        if retrying({ fcntl(number, command) }) == 0 { return }
        #endif
        guard retrying({ fsync(number) }) == 0 else { throw FileError("synchronize", path) }
    }
}

/// The system's `write`, which has the name of a method here.
private func writeBytes(_ number: Int32, _ start: UnsafeRawPointer, _ count: Int) -> Int {
    write(number, start, count)
}

/// Calls the system again while a signal interrupts it.
func retrying<Result: FixedWidthInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}
