import FlatCacheRows
import TestSupport
import Testing

struct UpgradesTests {
    /// Returns the upgrades from versions 1 and 3 to version 4.
    private static func upgrades() -> Upgrades<String> {
        var upgrades = Upgrades<String>(to: 4)
        upgrades.add(from: 3) { (old: Double) in "\(old)" }
        upgrades.add(from: 1) { (old: Int) in Double(old) }
        return upgrades
    }

    @Test(arguments: [(1, "7.0"), (3, "7.5"), (4, "seven")])
    func valuePassesTheUpgradesFromItsVersion(version: Int, expected: String) throws {
        let upgrades = Self.upgrades()
        upgrades.check()
        let value = try upgrades.value(from: version) { type -> Any in
            type == Int.self ? 7 : type == Double.self ? 7.5 : "seven"
        }
        #expect(value == expected)
    }

    @Test(arguments: [0, 2, 5])
    func versionWithoutUpgradeThrows(version: Int) {
        let upgrades = Self.upgrades()
        #expect(!upgrades.canUpgrade(from: version))
        #expect(throws: RowError.self) { try upgrades.value(from: version) { _ in "" } }
    }

    @Test func errorsOfUpgradesAreThrown() {
        struct Refused: Error {}
        var upgrades = Upgrades<String>(to: 2)
        upgrades.add(from: 1) { (_: Int) -> String in throw Refused() }
        #expect(throws: Refused.self) { try upgrades.value(from: 1) { _ in 1 } }
    }

    @Test func upgradesThatDontFitTogetherTrap() async {
        let trap = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            var upgrades = Upgrades<String>(to: 3)
            upgrades.add(from: 1) { (old: Int) in old }
            upgrades.add(from: 2) { (old: Double) in "\(old)" }
            upgrades.check()
        }
        #expect(trap?.message.contains("returns Int, but the next step needs Double") == true)
    }

    @Test func upgradeFromTheVersionOfAnotherTraps() async {
        let trap = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            var upgrades = Upgrades<String>(to: 2)
            upgrades.add(from: 1) { (old: Int) in "\(old)" }
            upgrades.add(from: 1) { (old: Int) in "\(old)" }
        }
        #expect(trap?.message.contains("be upgraded from 1 to 2: declare each step once") == true)
    }
}
