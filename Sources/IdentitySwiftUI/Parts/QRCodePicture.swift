#if canImport(SwiftUI)
import IdentityKit
import SwiftUI

/// A QR code, black on white even in dark mode, because many readers do not recognize inverted codes.
///
/// Draws the modules itself, because watchOS lacks Core Image, which contains the system's generator.
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
        // Hide the picture from screen readers, because the texts around it contain the address and the user code.
        .accessibilityHidden(true)
    }
}
#endif
