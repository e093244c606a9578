#if canImport(SwiftUI)
import IdentityKit
import SwiftUI

/// A QR code, always dark on light, because many readers do not recognize inverted codes.
///
/// Does not use the system's generator in Core Image, which watchOS lacks.
struct QRCodePicture: View {
    let code: QRCode

    var body: some View {
        GeometryReader { space in
            let side = min(space.size.width, space.size.height) / CGFloat(code.width)
            Path { path in
                for run in code.runs {
                    let (left, right) = (CGFloat(run.columns.lowerBound) * side, CGFloat(run.columns.upperBound) * side)
                    let (top, bottom) = (CGFloat(run.row) * side, CGFloat(run.row + 1) * side)
                    path.move(to: CGPoint(x: left, y: top))
                    path.addLine(to: CGPoint(x: right, y: top))
                    path.addLine(to: CGPoint(x: right, y: bottom))
                    path.addLine(to: CGPoint(x: left, y: bottom))
                    path.closeSubpath()
                }
            }
            .foregroundColor(Color(red: 0, green: 0, blue: 0))
        }
        .frame(width: 160, height: 160)
        .background(Color.white, in: RoundedRectangle(cornerRadius: 8, style: .circular))
        // Hidden from screen readers, because the address is shown above.
        .accessibilityHidden(true)
    }
}
#endif
