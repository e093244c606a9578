#if canImport(SwiftUI)
import IdentitySwiftUI
import SwiftUI

/// The app's own pictures of ThunderID's animals and things, from assets such as `anonymous/otter` and `entity/key`.
@MainActor
public enum LogoIconCatalog {
    /// The app's picture of one of `anonymousAnimalNames`; `nil` if the name or the asset does not exist, and always on
    /// watchOS.
    public static func anonymousAnimalImage(named name: String) -> Image? {
        anonymousAnimalNames.contains(name.lowercased()) ? .asset(named: "anonymous/" + name.lowercased()) : nil
    }

    /// The app's picture of one of `anonymousEntityNames`; `nil` if the name or the asset does not exist, and always on
    /// watchOS.
    public static func anonymousEntityImage(named name: String) -> Image? {
        anonymousEntityNames.contains(name.lowercased()) ? .asset(named: "entity/" + name.lowercased()) : nil
    }

    static func image(of spec: AvatarSpec) -> Image? {
        switch spec.variant {
        case .anonymousAnimal: anonymousAnimalImage(named: spec.content)
        case .anonymousEntity: anonymousEntityImage(named: spec.content)
        case .oneLetter, .twoLetter: nil
        }
    }
}
#endif
