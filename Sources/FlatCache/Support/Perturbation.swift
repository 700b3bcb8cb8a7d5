#if TestHooks
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Bionic)
import Bionic
#endif

/// Delays of threads at places where several of them meet, so that tests run in rare orders.
///
/// The environment variable `FLATCACHE_PERTURB` turns them on. Its value is the seed of the delays.
/// The same seed delays the same passages of a process, but other threads may make them.
///
/// Exists only in builds with the define `TestHooks`, such as debug builds of this package.
package enum Perturbation {
    /// The seed, or `nil` without perturbation.
    package static let seed: UInt64? = {
        guard let value = getenv("FLATCACHE_PERTURB").map({ String(cString: $0) }) else {
            return nil
        }
        guard let seed = UInt64(value) else {
            preconditionFailure("FLATCACHE_PERTURB=\(value): set it to a whole number, such as 17.")
        }
        // Processes of tests report on their standard output.
        let line = "Perturbed: FLATCACHE_PERTURB=\(seed)\n"
        _ = line.utf8.withContiguousStorageIfAvailable { write(2, $0.baseAddress, $0.count) }
        return seed
    }()

    private static let passages = Atomic<UInt64>(0)

    /// Lets another thread go first, or lets the thread sleep for up to 200 µs, now and then.
    package static func perturb() {
        guard seed != nil else { return }
        let number = random()
        switch number & 0xfff {
        case 0: SleepingThread().sleep(nanoseconds: Int64(number >> 32) % 200_000)
        case 1...64: yieldToOtherThreads()
        default: break
        }
    }

    /// Lets the thread sleep for up to a millisecond, once in sixteen calls on average.
    ///
    /// Call it where a thread has done its work but hasn't recorded that yet.
    package static func delay() {
        guard chooses(oneIn: 16) else { return }
        SleepingThread().sleep(nanoseconds: Int64(random() % 1_000_000))
    }

    /// Returns a Boolean value that is `true` once in a number of calls on average, or never
    /// without perturbation.
    ///
    /// Use it to choose between two ways that the documentation allows.
    package static func chooses(oneIn count: UInt64) -> Bool {
        seed != nil && random() % count == 0
    }

    /// Returns the next number of the sequence SplitMix64 (Steele, Lea and Flood, "Fast Splittable
    /// Pseudorandom Number Generators", 2014).
    private static func random() -> UInt64 {
        let passage = passages.add(1, ordering: .relaxed).newValue
        var number = ((seed ?? 0) &+ passage) &* 0x9e37_79b9_7f4a_7c15
        number = (number ^ (number >> 30)) &* 0xbf58_476d_1ce4_e5b9
        number = (number ^ (number >> 27)) &* 0x94d0_49bb_1331_11eb
        return number ^ (number >> 31)
    }
}
#endif
