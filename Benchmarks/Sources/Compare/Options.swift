import BenchmarkSupport

/// The options of the command line.
struct Options {
    /// The error of an invalid command line.
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    static let help = """
        Compares FlatCache with baselines, and prints how many times a baseline's time it takes.

        Options:
          --rows 1,2b,7    only these rows; a number alone stands for all of its letters
          --rounds n       how often each row is measured (9)
          --quick          small sizes and 3 rounds: shows that everything runs, and no more
          --check          exit status 1 if a row has no result, or misses its target by more
                           than the known misses
          --output folder  where results.json goes (a temporary folder)
          --raw            measure in this process and print the results as JSON only; for profilers
          --wall           the time on the wall, also where processor time is less disturbed
          --soak           instead of rows: 10 million operations on a cache with limits, and the
                           resident memory at each tenth; with --check the exit status is 1 if it
                           has grown by a quarter since the first one
          --list           print the rows and measure nothing
          --help           print this
        """

    var rows = Row.all
    var rounds = 9
    var scale = Scale.full
    var isQuick = false
    var mustMeetTargets = false
    var isRaw = false
    var usesWallClockOnly = false
    var isSoak = false
    var listsRows = false
    var wantsHelp = false
    var output: String?

    /// Reads the arguments after the program's name.
    init(_ arguments: [String]) throws {
        var remaining = arguments[...]
        var givenRounds: Int?
        while let option = remaining.popFirst() {
            switch option {
            case "--rows": rows = try Self.rows(Self.value(of: option, &remaining))
            case "--rounds":
                let text = try Self.value(of: option, &remaining)
                guard let number = Int(text), number > 0 else {
                    throw Problem(description: "--rounds needs a number from 1 up, not '\(text)'.")
                }
                givenRounds = number
            case "--output": output = try Self.value(of: option, &remaining)
            case "--quick": isQuick = true
            case "--check": mustMeetTargets = true
            case "--raw": isRaw = true
            case "--wall": usesWallClockOnly = true
            case "--soak": isSoak = true
            case "--list": listsRows = true
            case "--help", "-h": wantsHelp = true
            default: throw Problem(description: "There is no option '\(option)'. Try --help.")
            }
        }
        scale = isQuick ? .quick : .full
        rounds = givenRounds ?? (isQuick ? 3 : 9)
    }

    private static func value(
        of option: String,
        _ arguments: inout ArraySlice<String>
    ) throws -> String {
        guard let value = arguments.popFirst() else {
            throw Problem(description: "\(option) needs a value.")
        }
        return value
    }

    private static func rows(_ list: String) throws -> [Row] {
        let names = list.split(separator: ",").map(String.init)
        for name in names where !Row.all.contains(where: { matches($0, name) }) {
            throw Problem(description: "There is no row '\(name)'. Try --list.")
        }
        return Row.all.filter { row in names.contains { matches(row, $0) } }
    }

    private static func matches(_ row: Row, _ name: String) -> Bool {
        row.name == name || String(row.number) == name
    }
}
