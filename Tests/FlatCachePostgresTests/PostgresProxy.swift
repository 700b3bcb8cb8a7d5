#if canImport(CPostgres)
import FlatCache
import Foundation

/// A socket that passes bytes on to a server, and loses some.
final class PostgresProxy: @unchecked Sendable {
    /// Bytes that the proxy loses, with their connection.
    enum Loss: Sendable {
        /// The statements of a write, before the server sees them.
        case attempt
        /// The answer to the commit of a write.
        case commit
        /// The answer to the question whether a write is committed.
        case resolution
    }

    // Guarded by `lock`; the folder and the listener are constant.
    private let lock = NSLock()
    private var nextLosses: [Loss] = []
    private var silence = false
    /// The number of bytes of the server until the proxy ends the connection.
    private var bytesLeft: Int?
    private var deafened = 0
    let folder: String
    private let listener: Int32
    private let target: String

    /// The losses that are still to come, in their order.
    var losses: [Loss] {
        get { lock.withLock { nextLosses } }
        set { lock.withLock { nextLosses = newValue } }
    }

    /// Returns whether a loss is the next one, and removes it then.
    private func loses(_ loss: Loss) -> Bool {
        lock.withLock {
            guard nextLosses.first == loss else { return false }
            nextLosses.removeFirst()
            return true
        }
    }

    /// `true` while the proxy passes no bytes on, but keeps its connections.
    var isSilent: Bool {
        get { lock.withLock { silence } }
        set { lock.withLock { silence = newValue } }
    }

    /// `true` if the proxy passes on all messages of the server but notifications.
    let dropsNotifications: Bool
    /// The number of notifications that the proxy hasn't passed on.
    let droppedNotifications = Locked(0)

    /// The number of connections that have begun to listen.
    let listenerCount = Locked(0)

    /// Passes on nothing of the server any more to the connections that listen now, and keeps them.
    func deafen() { lock.withLock { deafened += 1 } }

    /// Ends the connection that has received a number of bytes of the server from now on.
    func cutOff(after count: Int) { lock.withLock { bytesLeft = count } }

    /// Counts bytes; returns whether the connection goes on.
    private func pass(_ count: Int) -> Bool {
        lock.withLock {
            guard let left = bytesLeft else { return true }
            bytesLeft = left > count ? left - count : nil
            return left > count
        }
    }

    var address: String { "host=\(folder) user=postgres dbname=postgres" }

    init(of server: PostgresServer, dropsNotifications: Bool = false) throws {
        self.dropsNotifications = dropsNotifications
        folder = server.folder + "/proxy-\(UInt32.random(in: 0...999_999))"
        target = server.folder + "/.s.PGSQL.5432"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let status = Self.withAddress(of: folder + "/.s.PGSQL.5432") { bind(listener, $0, $1) }
        precondition(status == 0 && listen(listener, 50) == 0, "The proxy can't listen.")
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                if client < 0 { return }
                Thread.detachNewThread { self.serve(client) }
            }
        }
    }

    private static func withAddress<Result>(
        of path: String,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            bytes.copyBytes(from: path.utf8)
        }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    private func serve(_ client: Int32) {
        let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard Self.withAddress(of: target, { connect(server, $0, $1) }) == 0 else {
            close(client)
            close(server)
            return
        }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        // A transaction that only reads commits, too, but begins with other words.
        var isWriting = false
        var isResolving = false
        // The state of `deafened` when the connection began to listen.
        var listening: Int?
        var messages = ServerMessages()
        while true {
            var descriptors = [
                pollfd(fd: client, events: Int16(POLLIN), revents: 0),
                pollfd(fd: server, events: Int16(POLLIN), revents: 0),
            ]
            if isSilent {
                usleep(1_000)
                continue
            }
            // A silence may begin while there is nothing to pass on.
            if poll(&descriptors, 2, 5) == 0 || isSilent { continue }
            if descriptors[0].revents != 0 {
                let count = read(client, &buffer, buffer.count)
                if count <= 0 { break }
                if Data(buffer[..<count]).range(of: Data("BEGIN\0".utf8)) != nil {
                    isWriting = true
                    if loses(.attempt) { break }
                }
                if Data(buffer[..<count]).range(of: Data("._resolve(".utf8)) != nil {
                    isResolving = true
                }
                if listening == nil,
                    Data(buffer[..<count]).range(of: Data("LISTEN ".utf8)) != nil
                {
                    listening = lock.withLock { deafened }
                    listenerCount.withLock { $0 += 1 }
                }
                guard send(buffer[..<count], to: server) else { break }
            }
            if descriptors[1].revents != 0 {
                let count = read(server, &buffer, buffer.count)
                if count <= 0 { break }
                if let listening, listening != lock.withLock({ deafened }) { continue }
                var answer = buffer[..<count]
                if dropsNotifications {
                    let (rest, dropped) = messages.withoutNotifications(answer)
                    answer = rest[...]
                    droppedNotifications.withLock { $0 += dropped }
                }
                // The server has committed when it sends the tag.
                if Data(answer).range(of: Data("COMMIT\0".utf8)) != nil, isWriting {
                    isWriting = false
                    if loses(.commit) { break }
                }
                // The tag precedes the end of the transaction in the same answer.
                if Data(answer).range(of: Data("SELECT 1\0".utf8)) != nil, isResolving {
                    isResolving = false
                    if loses(.resolution) { break }
                }
                guard pass(answer.count), send(answer, to: client) else { break }
            }
        }
        // A server that another test starts may have inherited the sockets.
        shutdown(client, Int32(SHUT_RDWR))
        shutdown(server, Int32(SHUT_RDWR))
        close(client)
        close(server)
    }

    private func send(_ bytes: ArraySlice<UInt8>, to socket: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { bytes in
                #if canImport(Darwin)
                write(socket, bytes.baseAddress, bytes.count)
                #else
                // A signal of a broken connection would end the tests.
                Foundation.send(
                    socket,
                    bytes.baseAddress,
                    bytes.count,
                    Int32(MSG_NOSIGNAL)
                )
                #endif
            }
            if count <= 0 { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

/// The messages of a server, each of which consists of a letter, its size and its contents.
private struct ServerMessages {
    private var unread: [UInt8] = []

    /// Returns the whole messages that have arrived, except notifications, and the number of these.
    mutating func withoutNotifications(_ bytes: ArraySlice<UInt8>) -> ([UInt8], Int) {
        unread += bytes
        var (rest, dropped, position) = ([UInt8](), 0, 0)
        while position + 5 <= unread.count {
            let size = unread[position + 1..<position + 5].reduce(0) { $0 << 8 | Int($1) }
            let end = position + 1 + size
            guard end <= unread.count else { break }
            if unread[position] == UInt8(ascii: "A") {
                dropped += 1
            } else {
                rest += unread[position..<end]
            }
            position = end
        }
        unread.removeFirst(position)
        return (rest, dropped)
    }
}
#endif
