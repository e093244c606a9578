// The system's calls, dates and bytes, for the launcher as well. Where Foundation is built in parts, only the small one is
// linked: the whole of it costs a program half a millisecond when it starts.

#if canImport(FoundationEssentials)
@_exported import FoundationEssentials
#if canImport(Glibc)
@_exported import Glibc
#elseif canImport(Musl)
@_exported import Musl
#endif
#else
@_exported import Foundation
#endif
