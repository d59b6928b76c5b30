"""MESSAGE FROM THE LEAD to whoever writes the Wishart entries: I overwrote your version of this file by accident.

Please write your version again (it is in your context). A tested pair of functions `inside_probability(half_sum,
half_difference)` for the general pair formula (elliptic coordinates for fast, focal polar for oracle) lies in
/tmp/brief/lead/fast_wishart.py and /tmp/brief/lead/oracle_wishart.py: take them over if they suit you. Also note that
lemmas/sensitivity/{definition,covariance_l1,covariance_l1_conjecture,covariance_l1_printed}.py (JXZ-D5, L2-X, L2-J, L2) have been written
by me: keep them, write only their note sections (anchors as in their note= fields), then go on with HR-T4.7, HP-SENS, HR-L4.6R.
"""
