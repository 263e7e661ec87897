//! Sizes as a listing shows them.

use std::fmt::Write as _;

/// Adds `bytes` for people: `512B`, and from 1,024 on with one decimal always, `4.0K`, `1.5M`, `2.0G`.
///
/// It is rounded first and rolled over to the next unit then (1,048,575 is `1.0M`). What lies exactly between two
/// decimals goes to the even one, as in C, Python and Rust.
pub(super) fn push_human(shown: &mut String, bytes: u64) {
    // A string takes whatever is written to it.
    let _ = if bytes < 1024 {
        write!(shown, "{bytes}B")
    } else {
        let (tenths, unit) = in_a_unit(bytes);
        write!(shown, "{}.{}{unit}", tenths / 10, tenths % 10)
    };
}

/// How many tenths of which unit.
fn in_a_unit(bytes: u64) -> (u128, char) {
    let (kilo, mega, giga) = (tenths(bytes, 10), tenths(bytes, 20), tenths(bytes, 30));
    match () {
        () if kilo < 10_240 => (kilo, 'K'),
        () if mega < 10_240 => (mega, 'M'),
        () => (giga, 'G'),
    }
}

/// `bytes` in tenths of two to the power of `shift`, rounded half to even.
fn tenths(bytes: u64, shift: u32) -> u128 {
    let scaled = u128::from(bytes) * 10;
    let (whole, rest, half) = (scaled >> shift, scaled & ((1 << shift) - 1), 1 << (shift - 1));
    if rest > half || (rest == half && whole % 2 == 1) { whole + 1 } else { whole }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    fn human(bytes: u64) -> String {
        let mut shown = String::new();
        super::push_human(&mut shown, bytes);
        shown
    }

    #[test]
    fn table() {
        for (bytes, expected) in [
            (0, "0B"),
            (1, "1B"),
            (1_023, "1023B"),
            (1_024, "1.0K"),
            (1_100, "1.1K"),
            (1_280, "1.2K"), // 1.25
            (1_536, "1.5K"),
            (1_792, "1.8K"), // 1.75
            (2_048, "2.0K"),
            (4_096, "4.0K"),
            (5_632, "5.5K"),
            (102_400, "100.0K"),
            (1_048_524, "1023.9K"),
            (1_048_525, "1.0M"),
            (1_048_575, "1.0M"),
            (1_048_576, "1.0M"),
            (1_258_291, "1.2M"),
            (1_073_741_823, "1.0G"),
            (1_073_741_824, "1.0G"),
            (u64::MAX, "17179869184.0G"),
        ] {
            assert_eq!(human(bytes), expected, "{bytes}");
        }
    }

    fn parsed(shown: &str) -> f64 {
        let (number, unit) = shown.split_at(shown.len() - 1);
        let factor = match unit {
            "B" => 1.0,
            "K" => 1024.0,
            "M" => 1024.0 * 1024.0,
            "G" => 1024.0 * 1024.0 * 1024.0,
            unit => panic!("unit {unit}"),
        };
        number.parse::<f64>().unwrap() * factor
    }

    proptest! {
        #[test]
        fn more_bytes_never_show_as_less(shift in 0u32..63, low in any::<u64>(), step in 0u64..5_000) {
            let bytes = low >> shift;
            let more = bytes.saturating_add(step);
            prop_assert!(parsed(&human(bytes)) <= parsed(&human(more)), "{bytes} {more}");
        }

        #[test]
        fn what_is_shown_is_near(shift in 0u32..63, low in any::<u64>()) {
            let bytes = low >> shift;
            let shown = parsed(&human(bytes));
            prop_assert!((shown - bytes as f64).abs() <= bytes as f64 * 0.05, "{bytes} {shown}");
        }
    }
}
