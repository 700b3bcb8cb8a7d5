#if canImport(CPostgres)
import Foundation
import Synchronization

@testable import FlatCachePostgres

/// A small disk in memory, which a test fills.
final class SmallDisk: Sendable {
    private static let count = Atomic<Int>(0)

    let folder: String
    private let keeper: Keeper

    /// `true` if this process may mount disks.
    static var isPermitted: Bool { (try? SmallDisk(megabytes: 1)) != nil }

    init(megabytes: Int) throws {
        let number = Self.count.add(1, ordering: .relaxed).newValue
        folder = "/tmp/flatcache-\(getpid())-disk\(number)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        keeper = try Keeper("sleep 1; umount -l \(folder); rmdir \(folder)")
        let options =
            "size=\(megabytes)m,mode=0700"
            + (getpwnam("postgres").map { ",uid=\($0.pointee.pw_uid)" } ?? "")
        try Command.run("/bin/mount", "-t", "tmpfs", "-o", options, "tmpfs", folder)
    }

    /// Fills the disk to the last byte.
    func fill() throws {
        let file = open(folder + "/filler", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard file >= 0 else { throw PostgresGraphError(.failed, "The disk can't be filled.") }
        defer { close(file) }
        let bytes = [UInt8](repeating: 0, count: 4_096)
        while write(file, bytes, bytes.count) > 0 {}
    }

    func makeRoom() { unlink(folder + "/filler") }
}

/// A network namespace, whose processes reach this machine by one cable.
final class IsolatedNetwork: Sendable {
    private static let count = Atomic<Int>(0)

    /// The address of the machine on the network.
    let address: String
    /// The command that starts a program in the namespace.
    let launcher: [String]
    private let cable: String
    private let keeper: Keeper

    private static let program = "/usr/sbin/ip"

    /// `true` if this process may create networks.
    static var isPermitted: Bool { (try? IsolatedNetwork()) != nil }

    init() throws {
        let number = Self.count.add(1, ordering: .relaxed).newValue
        let name = "flatcache-\(getpid())-\(number)"
        cable = "fc\(getpid() % 100_000)x\(number)"
        let network = "10.213.\((Int(getpid()) + number * 7) % 256)"
        address = network + ".1"
        launcher = [Self.program, "netns", "exec", name]
        keeper = try Keeper("\(Self.program) link del \(cable); \(Self.program) netns del \(name)")
        let (near, far) = (cable, cable + "f")
        for command in [
            "netns add \(name)", "link add \(near) type veth peer name \(far)",
            "link set \(far) netns \(name)", "addr add \(network).1/24 dev \(near)",
            "link set \(near) up", "-n \(name) addr add \(network).2/24 dev \(far)",
            "-n \(name) link set \(far) up",
        ] {
            try Command.run([Self.program] + command.split(separator: " ").map(String.init))
        }
    }

    /// Cuts the cable: packets are lost without an error.
    func cut() throws { try Command.run(Self.program, "link", "set", cable, "down") }

    func mend() throws { try Command.run(Self.program, "link", "set", cable, "up") }
}
#endif
