//! A moment as text, such as `2026-01-31T09:30:00Z`.

use std::time::{SystemTime, UNIX_EPOCH};

/// The moment in UTC, to the second (RFC 3339). What lies before 1970 is told as its start.
pub(super) fn utc(time: SystemTime) -> String {
    let seconds = time
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let (days, of_day) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// The date of a day counted from the first of January 1970.
fn date(mut days: u64) -> (u64, u64, u64) {
    let leap =
        |year: u64| year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    // Every 400 years the calendar starts again, after 146,097 days.
    let mut year = 1970 + days / 146_097 * 400;
    days %= 146_097;
    loop {
        let length = 365 + u64::from(leap(year));
        if days < length {
            break;
        }
        days -= length;
        year += 1;
    }
    let february = 28 + u64::from(leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn moments_are_told_in_utc() {
        let told = |seconds| utc(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(told(0), "1970-01-01T00:00:00Z");
        assert_eq!(told(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(told(1_769_851_800), "2026-01-31T09:30:00Z");
        assert_eq!(told(4_107_542_399), "2100-02-28T23:59:59Z");
        assert_eq!(told(4_107_542_400), "2100-03-01T00:00:00Z");
        assert_eq!(told(13_569_465_600), "2400-01-01T00:00:00Z");
    }
}
