// The system's calls, dates and bytes, for the launcher as well. Where Foundation is built in parts, only the small one is
// linked: the whole of it costs a program half a millisecond when it starts.

#if canImport(Darwin)
@_exported import Foundation
#else
@_exported import FoundationEssentials
#if canImport(Musl)
@_exported import Musl
#else
@_exported import Glibc
#endif
#endif
