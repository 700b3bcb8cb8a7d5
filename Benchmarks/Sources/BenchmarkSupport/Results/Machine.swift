public import Foundation

/// The machine that results were taken on.
public struct Machine: Codable, Sendable {
    /// When.
    public let date: Date
    /// The processor's name.
    public let processor: String
    /// How many cores the process may use.
    public let cores: Int
    /// The operating system.
    public let system: String
    /// How many processes wanted to run in the minute before: others disturb what is measured.
    public let load: Double

    /// Describes this machine as it is now.
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
    /// The machine in one line.
    public var description: String {
        "\(processor), \(cores) cores, \(system), load \(load)"
    }
}
