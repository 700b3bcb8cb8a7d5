#if os(Linux) || os(Android)
import Foundation
import Testing

@testable import FlatCachePersistence

struct InotifyEventTests {
    private func event(_ bits: Int..., name: String? = nil) -> InotifyEvent {
        InotifyEvent(watch: 1, bits: bits.reduce(0) { $0 | UInt32($1) }, name: name)
    }

    @Test func signsOfEventsOfTheFile() {
        #expect(event(Int(IN_MODIFY)).sign(for: .contents) == .writing)
        #expect(event(Int(IN_CLOSE_WRITE)).sign(for: .contents) == .written)
        #expect(event(Int(IN_ATTRIB)).sign(for: .contents) == .written)
        #expect(event(Int(IN_DELETE_SELF)).sign(for: .contents) == .departure)
        #expect(event(Int(IN_MOVE_SELF)).sign(for: .contents) == .departure)
        #expect(event(Int(IN_IGNORED)).sign(for: .contents) == .detour)
        // The file is a folder, which another monitor watches for its entries.
        #expect(event(Int(IN_CREATE), name: "file").sign(for: .contents) == nil)
    }

    @Test func signsOfEventsOfTheFilesEntry() {
        let interest = FileInterest.file(named: "file")
        #expect(event(Int(IN_CREATE), name: "file").sign(for: interest) == .beginning)
        #expect(event(Int(IN_CREATE), Int(IN_ISDIR), name: "file").sign(for: interest) == .arrival)
        #expect(event(Int(IN_MOVED_TO), name: "file").sign(for: interest) == .arrival)
        #expect(event(Int(IN_DELETE), name: "file").sign(for: interest) == .departure)
        #expect(event(Int(IN_MOVED_FROM), name: "file").sign(for: interest) == .departure)
        #expect(event(Int(IN_CLOSE_WRITE), name: "file").sign(for: interest) == .written)
        #expect(event(Int(IN_MOVED_TO), name: "other").sign(for: interest) == nil)
    }

    @Test(arguments: [FileInterest.entry(named: "a"), .link(named: "a")])
    func signsOfEventsOnTheRoute(interest: FileInterest) {
        for bits in [IN_CREATE, IN_DELETE, IN_MOVED_FROM, IN_MOVED_TO] {
            #expect(event(Int(bits), name: "a").sign(for: interest) == .detour)
            #expect(event(Int(bits), name: "b").sign(for: interest) == nil)
            #expect(event(Int(bits), name: "a").sign(for: .waypoint) == nil)
        }
        for bits in [IN_DELETE_SELF, IN_MOVE_SELF, IN_ATTRIB, IN_UNMOUNT, IN_IGNORED] {
            #expect(event(Int(bits)).sign(for: interest) == .detour)
            #expect(event(Int(bits)).sign(for: .waypoint) == .detour)
        }
        #expect(event(Int(IN_ATTRIB), name: "a").sign(for: interest) == nil)
    }

    @Test func overflowMeansThatAllFilesHaveChanged() {
        let event = InotifyEvent(watch: -1, bits: UInt32(IN_Q_OVERFLOW), name: nil)
        #expect(event.isOverflow)
        for interest in [FileInterest.contents, .waypoint, .file(named: "file")] {
            #expect(event.sign(for: interest) == .written)
        }
    }

    @Test func eventsAreReadOneAfterTheOther() {
        var bytes: [UInt8] = []
        func append(_ watch: Int32, _ bits: UInt32, _ name: [UInt8]) {
            withUnsafeBytes(of: watch) { bytes += $0 }
            for number in [bits, 0, UInt32(name.count)] {
                withUnsafeBytes(of: number) { bytes += $0 }
            }
            bytes += name
        }
        append(7, UInt32(IN_MOVED_TO), Array("größe".utf8) + [0])
        append(8, UInt32(IN_MODIFY), [])
        append(9, UInt32(IN_CREATE), Array("f".utf8) + [UInt8](repeating: 0, count: 15))
        let events = bytes.withUnsafeBytes { InotifyEvent.events(in: $0) }
        #expect(
            events == [
                InotifyEvent(watch: 7, bits: UInt32(IN_MOVED_TO), name: "größe"),
                InotifyEvent(watch: 8, bits: UInt32(IN_MODIFY), name: nil),
                InotifyEvent(watch: 9, bits: UInt32(IN_CREATE), name: "f"),
            ]
        )
        // An incomplete event is ignored.
        let half = bytes.prefix(10).withUnsafeBytes { InotifyEvent.events(in: $0) }
        #expect(half.isEmpty)
    }
}
#endif
