public import Foundation

/// The machine on which results were measured.
public struct Machine: Codable, Sendable {
    /// The date of the measurement.
    public let date: Date
    /// The processor's name.
    public let processor: String
    /// The number of cores that the process may use.
    public let cores: Int
    /// The operating system.
    public let system: String
    /// The average number of runnable processes in the minute before the run.
    ///
    /// Other processes disturb measurements.
    public let load: Double

    /// Returns a description of this machine in its current state.
    public static func current() -> Machine {
        var load = 0.0
        if getloadavg(&load, 1) < 1 { load = .zero }
        return Machine(
            date: Date(),
            processor: processorName(),
            cores: ProcessInfo.processInfo.activeProcessorCount,
            system: ProcessInfo.processInfo.operatingSystemVersionString,
            load: (load * 100).rounded() / 100
        )
    }

    private static func processorName() -> String {
        #if canImport(Darwin)
        let tool = URL(fileURLWithPath: "/usr/sbin/sysctl")
        let output = try? ChildProcess.output(
            of: tool,
            arguments: ["-n", "machdep.cpu.brand_string"]
        )
        let name = output.map { String(decoding: $0, as: UTF8.self) }
        #else
        let text = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
        let line = text?.split(separator: "\n").first { $0.hasPrefix("model name") }
        let name = line?.split(separator: ":").last.map(String.init)
        #endif
        return name?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "unknown processor"
    }
}

extension Machine: CustomStringConvertible {
    /// The description in one line.
    public var description: String {
        "\(processor), \(cores) cores, \(system), load \(load)"
    }
}
