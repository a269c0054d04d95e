//! Days as numbers, so that they have places on an axis and a time (Gregorian calendar).

/// Returns the number of a day, `YEAR-MONTH-DAY`, counted from a fixed one.
pub fn day_number(date: &str) -> Option<i64> {
    let mut parts = date.split('-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let is_year = (-9999..=9999).contains(&year);
    if !is_year || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // The year begins with March, so that the day that may be missing is its last.
    let (year, month) = match month {
        1 | 2 => (year - 1, month + 9),
        _ => (year, month - 3),
    };
    Some(first_day(year) + (153 * month + 2) / 5 + day)
}

/// Returns the day so many days after another one.
pub(crate) fn day_after(date: &str, days: f64) -> Option<String> {
    let limit = 1e6;
    let days = Some(days).filter(|days| days.fract() == 0.0 && days.abs() <= limit)?;
    let number = day_number(date)? + days as i64 - 1;
    // A year has 365 days or 366, so that this is late by less than a year.
    let late = number.div_euclid(365) + 1;
    let year = (0..)
        .map(|back| late - back)
        .find(|year| first_day(*year) <= number)?;
    let day = number - first_day(year);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = match month {
        10 | 11 => (year + 1, month - 9),
        _ => (year, month + 3),
    };
    Some(format!("{year:04}-{month:02}-{day:02}"))
}

/// Returns the days before a year that begins with March.
fn first_day(year: i64) -> i64 {
    365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_follow_each_other() {
        let days = "2024-02-28 2024-02-29 2024-03-01 2025-02-28 2025-03-01 2026-12-31 2027-01-01";
        let days: Vec<&str> = days.split(' ').collect();
        let numbers = days.iter().map(|day| day_number(day).unwrap());
        let numbers: Vec<i64> = numbers.collect();
        let gaps = numbers.windows(2).map(|pair| pair[1] - pair[0]);
        assert_eq!(gaps.collect::<Vec<_>>(), [1, 1, 364, 1, 670, 1]);
        for (day, number) in days.iter().zip(&numbers) {
            let after = (number - numbers[0]) as f64;
            assert_eq!(day_after(days[0], after).as_deref(), Some(*day));
        }
        assert_eq!(day_after("2026-01-01", -1.0).as_deref(), Some("2025-12-31"));
        assert_eq!(day_after("2026-01-01", 0.5), None);
        let since_1970 = |day| day_number(day).unwrap() - day_number("1970-01-01").unwrap();
        assert_eq!(since_1970("2000-02-29"), 11_016);
        assert_eq!(since_1970("2026-11-25"), 20_782);
        assert_eq!(day_number("2026-11"), None);
        assert_eq!(day_number("2026-13-01"), None);
        assert_eq!(day_number("soon"), None);
    }
}
